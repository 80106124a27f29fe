"""Letters of any text, and the way back to it."""

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from fingerprinter.alphabet import DIGIT_0, EXPANDS, INITIALS, LATIN_A, LETTER_CODES, character_table, code_points
from fingerprinter.initials.to_initials import to_initials
from fingerprinter.normalize.misread_encoding import fix_encoding
from fingerprinter.normalize.notations import unescape_in_place
from fingerprinter.normalize.reading_order import reading_order

ANY_TEXT = st.text(st.characters(), max_size=60)  # every code point, lone surrogates among them
MIXED_TEXT = st.text(
    st.sampled_from("重庆渡口的灯安二欧𠀀㐂臺zhongguoxianadebe1２ＡａéāА①⑩㍿ﬁ\u200b\ufe0f\u0304 ，。🐎\ud800"),
    max_size=60,
)
MISREAD_TEXT = st.text(st.sampled_from("锛屼銆鐨勬槸\ufffd£¬µÄ¡£ÔÚæäœ\x84°中a ，\ud800\ue000"), max_size=60)
# Pinyin depends on what stands around it.
NO_LATIN_TEXT = st.text(
    st.characters().filter(lambda c: character_table().codes[ord(c)] not in (*range(LATIN_A, DIGIT_0), EXPANDS))
)
# Zero-width characters, a soft hyphen, a variation selector, combining marks, spaces of three widths, a separator.
INVISIBLE = "\u200b\u200d\u2060\ufeff\u00ad\ufe0f\u0301\u20e3 \u3000\u2009\u2028·|/"


def shown(text: str) -> str:
    """Letters as a string: initials in small letters, no initial as _, Latin in capitals, digits as they are."""
    names = INITIALS + "_" + "ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "0123456789"
    return "".join(names[code] for code in to_initials(text).codes.tolist())


def test_character_references_left_in_a_text_stand_for_their_characters_and_unknown_ones_for_themselves() -> None:
    plain = shown("我们的中国")
    for written in ("我们&nbsp;的&#20013;国", "我&#8203;们的&#x4E2D;国", "我&ensp;们&zwj;的中&amp;国"):
        assert shown(written) == plain
        assert to_initials(written).length == len(written)
    assert shown("&qqq;") == "QQQ"


@given(st.lists(st.sampled_from(["&", "amp;", "#", "20013;", "x4e2d;", "nbsp;", "notit;", "我", "a", ";", "#xd800;"])))
def test_character_references_move_no_other_letter(parts: list[str]) -> None:
    text = "".join(parts)
    assert len(unescape_in_place(text)) == len(text)


@given(st.one_of(ANY_TEXT, MIXED_TEXT))
@example("")
@example("\ud800")
@example("\U0010ffff")
@example("\U0010ffff安")
def test_any_string_gives_letters_whose_places_rise_and_stay_within_the_text(text: str) -> None:
    assume(reading_order(code_points(text)) is None)  # else they rise in the order of reading
    letters = to_initials(text)
    assert letters.length == len(text)
    assert len(letters.codes) == len(letters.starts) == len(letters.ends) == len(letters)
    assert (letters.codes < LETTER_CODES).all()
    starts, ends = letters.starts.astype(np.int64), letters.ends.astype(np.int64)
    assert (starts < ends).all()
    assert (ends <= len(text)).all()
    assert (np.diff(starts) >= 0).all()
    assert (np.diff(ends) >= 0).all()


@given(st.one_of(ANY_TEXT, MIXED_TEXT))
@example("是a吧")
@example("我们zhōng国⑩")
def test_each_letter_maps_back_to_the_characters_that_gave_it(text: str) -> None:
    assume(fix_encoding(text) == text)  # else the first of several misread characters gave it
    letters = to_initials(text)
    for place, code in enumerate(letters.codes.tolist()):
        start, end = letters.span(place, place + 1)
        alone = to_initials(text[start:end]).codes.tolist()
        as_pinyin = to_initials(f"中{text[start:end]}国").codes.tolist()[1:-1]
        assert code in alone or [code] == as_pinyin


@given(NO_LATIN_TEXT, NO_LATIN_TEXT)
def test_two_texts_joined_give_the_letters_of_both(one: str, other: str) -> None:
    assume(fix_encoding(one + other) == one + other)  # else two halves make up a misread character
    left, right, joined = to_initials(one), to_initials(other), to_initials(one + other)
    assert joined.codes.tolist() == left.codes.tolist() + right.codes.tolist()
    assert joined.starts.tolist() == left.starts.tolist() + [start + len(one) for start in right.starts.tolist()]


@given(MIXED_TEXT, st.data())
def test_invisible_characters_and_separators_anywhere_change_no_letter(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    between = data.draw(st.text(st.sampled_from(INVISIBLE), max_size=3))
    assert shown(text[:place] + between + text[place:]) == shown(text)


# But for the signs of escapes, tags and stamps, which are known by their usual forms alone.
PLAIN_ASCII = st.characters(min_codepoint=0x21, max_codepoint=0x7E, exclude_characters="&\\%+=:<[")


@given(st.text(PLAIN_ASCII, max_size=40))
def test_full_width_forms_change_no_letter(text: str) -> None:
    assert shown("".join(chr(ord(c) + 0xFEE0) for c in text)) == shown(text)


@pytest.mark.parametrize(
    ("traditional", "simplified"),
    [
        ("渡口的燈還亮著，擺渡的老人把纜繩繫緊了。", "渡口的灯还亮着，摆渡的老人把缆绳系紧了。"),
        ("裏面的衣裳晾乾了，頭髮卻沒有乾淨。", "里面的衣裳晾干了，头发却没有干净。"),
        ("他呼籲臺灣與內地的學者開會討論鬱悶的問題。", "他呼吁台湾与内地的学者开会讨论郁闷的问题。"),
        ("後來祇餘一隻麵糰，鐘錶聲裡誰也不說話。", "后来只余一只面团，钟表声里谁也不说话。"),
        ("刺繡、鑽石、剎車、柵欄，全是閒話。", "刺绣、钻石、刹车、栅栏，全是闲话。"),
    ],
)
def test_traditional_and_simplified_give_the_same_letters(traditional: str, simplified: str) -> None:
    assert shown(traditional) == shown(simplified)


def test_characters_swapped_for_others_of_the_same_sound_give_the_same_letters() -> None:
    assert shown("他们在河边坐了一整夜") == shown("她门再合编做乐依整叶")


def test_initials_are_those_of_the_reading_and_vowels_keep_their_place() -> None:
    assert shown("安静的渡口，二月欧洲") == "_jddk_y_z"


def test_rare_planes_give_letters_and_a_character_without_known_reading_matches_itself_and_no_vowel() -> None:
    assert shown("𠀀") == "h"  # hē
    unread = "㐃㐇㐈㐉㐊㐋"  # which no dictionary of ours reads
    assert "_" not in shown(unread)
    assert len(set(shown(unread))) > 3


@pytest.mark.parametrize(
    ("forms", "others"),
    [("鉄軽価伝囲豊仮戻", "铁轻价传围丰假戾"), ("彷彿", "仿佛"), ("㓛㞢㕔", "功之厅"), ("𠀚𠤪𤾠", "不一的")],
)
def test_japanese_and_rare_forms_have_the_letter_of_the_form_that_readers_know(forms: str, others: str) -> None:
    assert shown(forms) == shown(others)


def test_a_ring_between_numerals_is_a_zero_and_the_iteration_mark_repeats_what_stands_before() -> None:
    assert shown("二○二四年一○月") == shown("二〇二四年一〇月")
    assert shown("○○年，某○先生") == shown("年，某先生")
    assert shown("人々在山々间") == shown("人人在山山间")
    assert to_initials("人々").length == 2


@pytest.mark.parametrize(
    ("written", "letters"),
    [
        ("ＡＢＣ１２", "ABC12"),  # full width
        ("𝐀𝒃𝟘", "AB0"),  # mathematical
        ("ⓐⒷ🅒🅰", "ABCA"),  # circled and squared, white and black
        ("①⑳❸⓿", "12030"),
        ("ＡвсеΑο", "ABCEAO"),  # Cyrillic and Greek shapes
        ("éñÇø", "ENCO"),
        ("ﬁ㎏№", "FIKGNO"),
        ("㈱㊊⽉⻓", "zyyz"),  # enclosed and radical forms of Han characters
        ("٣४", "34"),  # digits of other scripts
        ("ㄅㄓ", "bz"),  # zhuyin
        ("🐎👩\u200d💻️★…—、", ""),
    ],
)
def test_forms_give_the_letters_of_what_they_stand_for(written: str, letters: str) -> None:
    assert shown(written) == letters


@pytest.mark.parametrize(
    "written",
    [
        "我们zhong国人",
        "我们zhōng国人",
        "我们zho\u0304ng国人",
        "我们ZHONG国人",
        "我们 zhong 国人",
        "我们zhongguo人",
        "我们 zhong guo 人",
        "我们z\u200bh\u200bo\u200bn\u200bg国人",
    ],
)
def test_pinyin_between_han_characters_is_read_as_the_characters_that_it_replaces(written: str) -> None:
    assert shown(written) == shown("我们中国人")


@pytest.mark.parametrize("written", ["用python写", "用zhongx写", "zhong国", "写zhong", "第3zhong写", "a b c"])
def test_latin_that_is_no_pinyin_or_not_between_han_characters_stays_latin(written: str) -> None:
    codes = to_initials(written).codes
    letters = sum(character.isascii() and character.isalpha() for character in written)
    assert ((codes >= LATIN_A) & (codes < DIGIT_0)).sum() == letters


def test_a_pinyin_syllable_spans_all_of_what_was_written() -> None:
    text = "我zhong guo人"
    letters = to_initials(text)
    assert [text[slice(*letters.span(n, n + 1))] for n in range(len(letters))] == ["我", "zhong", "guo", "人"]


@pytest.mark.parametrize(
    "written", ["我们zhong1国人", "我们zhong1guo2人", "我们 zhong1 guo2 人", "我们中(zhong1)国（guó）人"]
)
def test_tone_digits_and_readings_in_brackets_are_no_text(written: str) -> None:
    assert shown(written) == shown("我们中国人")


@pytest.mark.parametrize("space", ["", " ", "，"])
@pytest.mark.parametrize("tone", ["", "4"])
def test_a_text_in_pinyin_alone_is_read_as_its_characters(space: str, tone: str) -> None:
    syllables = ["zuo", "zhe", "xie", "xia", "zhe", "ge", "ju", "zi", "gei", "ren", "kan"]
    assert shown(space.join(syllable + tone for syllable in syllables)) == shown("作者写下这个句子给人看")


def test_a_few_words_that_could_be_pinyin_stay_latin() -> None:
    assert shown("a man can name me") == "AMANCANNAMEME"
    assert shown("the banana is on the table") == "THEBANANAISONTHETABLE"


@pytest.mark.parametrize("stuck", ["x", "7", "a"])
def test_single_letters_and_digits_thickly_between_characters_tell_nothing(stuck: str) -> None:
    assert shown(stuck.join("我们在河边等了很久")) == shown("我们在河边等了很久")
    assert shown(stuck.join("我们在河边等了，很久——以后他才来")) == shown("我们在河边等了很久以后他才来")


def test_a_few_single_letters_and_digits_between_characters_are_text() -> None:
    assert shown("第3章的B股和C股") == "d3zdBghCg"


@given(st.lists(st.integers(0x80, 0xBF), min_size=2, max_size=40), st.integers(0xE2, 0xEF), st.text(max_size=5))
def test_whatever_bytes_were_read_as_gbk_keep_every_place(later: list[int], lead: int, behind: str) -> None:
    """Also the bytes of surrogates, which look like UTF-8 and are none."""
    bytes_of = b"".join(bytes([lead, *later[at : at + 2]]) for at in range(0, len(later) - 1, 2))
    text = "锛屼粬锛屼粬" + bytes_of.decode("gb18030", "replace") + behind
    assert len(fix_encoding(text)) == len(text)
    assert fix_encoding(text).count("\ufffd") <= text.count("\ufffd")


def test_escaped_and_misread_characters_are_read_where_they_stand() -> None:
    text = "我们中国人"
    for written in (
        "".join(f"\\u{ord(char):04x}" for char in text),
        "".join("".join(f"%{byte:02X}" for byte in char.encode()) for char in text),
        text.encode().decode("latin-1"),
    ):
        letters = to_initials(written)
        assert letters.codes.tolist() == to_initials(text).codes.tolist()
        width = len(written) // len(text)
        assert letters.starts.tolist() == [width * place for place in range(len(text))]


@pytest.mark.parametrize(
    ("written", "wrong"), [("utf-8", "latin-1"), ("utf-8", "gb18030"), ("gb18030", "latin-1"), ("gb18030", "cp1252")]
)
def test_characters_read_in_the_wrong_encoding_are_read_as_they_were_meant(written: str, wrong: str) -> None:
    meant = "说：河边的芦苇，是去年秋天种下的。我没有回答，只把船朝岸边推了推，等他先走了"
    misread = meant.encode(written).decode(wrong)
    letters = to_initials(f"今天\n{misread}\n完")
    assert shown(f"今天\n{misread}\n完") == shown(f"今天\n{meant}\n完")
    assert letters.length == len(misread) + 5
    assert (np.diff(letters.starts.astype(int)) > 0).all()


def test_utf_8_read_as_gbk_loses_no_more_than_the_ends_of_its_lines() -> None:
    lines = "我没有回答，只把船往岸边推\n河边的芦苇是去年种的。\n等他先走"
    misread = lines.encode().decode("gb18030", "replace")
    assert "\N{REPLACEMENT CHARACTER}" in misread
    read = fix_encoding(misread).replace("\u200b", "")
    assert all(line[:-2] in read for line in lines.split("\n"))


@given(MISREAD_TEXT)
def test_reading_again_keeps_every_place(text: str) -> None:
    read = fix_encoding(text)
    assert len(read) == len(text)
    # Those of which no byte can be the rest of a misread character; of ， both can.
    assert all(mine == theirs for mine, theirs in zip(read, text, strict=True) if theirs in "中a ")


@pytest.mark.parametrize(
    "text",
    [
        "锛是刀剑的刃，很少用到；他在字典里翻了很久才找到这一页，又看了一遍，把它抄在本子上，抄完以后才想起"
        "还有一个字没有查，就是他祖父名字里的那一个，写起来和这个差不多，读起来完全不同，意思也不同，那就是鐨。",
        "Ça coûte 3 €, déjà payé à l'hôtel naïve",
    ],
)
def test_text_that_was_read_rightly_stays(text: str) -> None:
    assert fix_encoding(text) == text


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("亻尔女子，亻也讠兑。\n明天见", "你好，他说。\n明天见"),
        ("我亻门走至刂氵可辶，扌丁亻叚", "我们走到河辶，打假"),
        ("亻部的字和讠部的字", "亻部的字和讠部的字"),
        ("这个女子日月不息", "这个女子日月不息"),
    ],
)
def test_characters_split_into_their_parts_are_read_whole_where_radicals_stand_alone(written: str, meant: str) -> None:
    assert shown(written) == shown(meant)
    assert to_initials(written).length == len(written)


def test_runs_are_cut_into_few_long_syllables() -> None:
    assert shown("的fangan好") == shown("的方安好")
    assert shown("去xian城") == shown("去先城")


@pytest.mark.parametrize(
    "written",
    [
        "[00:12.30]晚风吹过旧站台\n[00:15.04]你的影子被拉长",
        "[01:02]晚风吹过旧站台\n[121:02]你的影子被拉长",
        "1\n00:01:02,345 --> 00:01:05,000\n晚风吹过旧站台\n\n12\n00:01:05.000 --> 00:01:07.250\n你的影子被拉长\n",
        "晚风 20:15\n吹过旧站台\n影 2024-05-01 20:15:33\n你的影子被拉长".replace("影 2024", " 2024"),
        "（20：15）晚风吹过旧站台，7:05你的影子被拉长",
        "晚丨风丨吹丨过丨旧丨站丨台丶你丿的影子⼁被拉长",
    ],
)
def test_times_of_subtitles_lyrics_and_chats_and_strokes_between_characters_give_no_letters(written: str) -> None:
    letters = to_initials(written)
    assert shown(written) == shown("晚风吹过旧站台你的影子被拉长")
    assert letters.length == len(written)
    assert written[letters.starts[0]] == "晚"
    assert written[letters.starts[-1]] == "长"


@pytest.mark.parametrize("written", ["比分3:2", "第12:345号", "a1:9", "20:75", "1234:56", "12:", ":30"])
def test_other_figures_with_a_colon_are_read(written: str) -> None:
    digits = [character for character in written if character.isdigit()]
    assert [place for place in shown(written) if place.isdigit()] == digits


@given(st.text(st.sampled_from("012359:：.,->[] \n\r/字"), max_size=40))
def test_timestamps_take_nothing_but_digits_away(text: str) -> None:
    letters = to_initials(text)
    assert letters.length == len(text)
    assert [text[start] for start in letters.starts if text[start] == "字"] == ["字"] * text.count("字")

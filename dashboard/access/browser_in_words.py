"""A browser and its system in words, from the line by which it names itself in each request (User-Agent)."""

import re
from typing import Final

from dashboard.frame.language import t

# What the line of each holds; the first that fits, as most name those as well that they are built upon.
BROWSERS: Final = {
    "wechat": r"MicroMessenger",
    "dingtalk": r"DingTalk",
    "feishu": r"Lark|Feishu",
    "qq": r"M?QQBrowser",
    "quark": r"Quark",
    "uc": r"UCBrowser|UBrowser",
    "baidu": r"(?i:baiduboxapp|bidubrowser|baidubrowser)",
    "qihoo": r"360SE|360EE|QihooBrowser|QHBrowser",
    "sogou": r"SogouMobileBrowser|MetaSr",
    "huawei": r"HuaweiBrowser",
    "xiaomi": r"MiuiBrowser",
    "oppo": r"HeyTapBrowser|OppoBrowser",
    "vivo": r"VivoBrowser",
    "samsung": r"SamsungBrowser",
    "edge": r"Edg|EdgA|EdgiOS|Edge",
    "opera": r"OPR|Opera",
    "firefox": r"Firefox|FxiOS",
    "chrome": r"Chrome|CriOS|Chromium|HeadlessChrome",
    "safari": r"Version(?=/[\d.]+.* Safari/)",
}
SYSTEMS: Final = {
    "harmony": r"OpenHarmony|HarmonyOS",
    "android": r"Android",
    "ios": r"iPhone|iPad|iPod",
    "windows": r"Windows",
    "macos": r"Macintosh|Mac OS X",
    "chromeos": r"CrOS",
    "linux": r"Linux|X11",
}
_VERSION: Final = r"(?:[/ ](\d{1,4}))?"  # the first number of it


def browser_in_words(agent: str) -> str:
    """Which browser on which system, as far as its line tells; what tells neither is another browser."""
    found = _first(BROWSERS, agent)
    named, version = (t(f"browser.{found[0]}"), found[1]) if found else (t("browser.other"), "")
    browser = f"{named} {version}" if version else named
    system = _first(SYSTEMS, agent)
    return t("account.browser_on", browser=browser, system=t(f"browser_system.{system[0]}")) if system else browser


def _first(table: dict[str, str], agent: str) -> tuple[str, str] | None:
    """The first row that fits, with the version behind what it looks for."""
    for name, holds in table.items():
        if found := re.search(rf"(?<![^\W\d_])(?:{holds}){_VERSION}(?![^\W\d_])", agent):
            return name, found[1] or ""
    return None

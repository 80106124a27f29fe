"""Name browsers and systems by their user agents."""

import re
from typing import Final

from dashboard.frame.language import t

# A part of each browser's user agent. The first match wins: most browsers also name those they derive from.
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
_VERSION_PATTERN: Final = r"(?:[/ ](\d{1,4}))?"  # the first number of the version


def browser_in_words(agent: str) -> str:
    """Name the browser and its system by the user agent. Call an unknown one another browser."""
    match = _first_match(BROWSERS, agent)
    named, version = (t(f"browser.{match[0]}"), match[1]) if match else (t("browser.other"), "")
    browser = f"{named} {version}" if version else named
    system = _first_match(SYSTEMS, agent)
    return t("account.browser_on", browser=browser, system=t(f"browser_system.{system[0]}")) if system else browser


def _first_match(table: dict[str, str], agent: str) -> tuple[str, str] | None:
    """Return the first entry whose pattern matches, with the version that follows the match."""
    for name, holds in table.items():
        if match := re.search(rf"(?<![^\W\d_])(?:{holds}){_VERSION_PATTERN}(?![^\W\d_])", agent):
            return name, match[1] or ""
    return None

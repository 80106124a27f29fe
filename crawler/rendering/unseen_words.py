"""Hide the words of a rendered page that its styles hide from readers, so that its markup shows it."""

from typing import Any

from crawler.extraction.appearance import (
    MAX_CLIPPED_PIXELS,
    MIN_ALPHA,
    MIN_CONTRAST,
    MIN_TEXT_PIXELS,
)

MAX_LOOKED_AT_ELEMENTS = 20_000  # elements between words
# Examines elements between words that hold only words. Styles of sheets and scripts are known only in the browser.
# Invisible elements get `visibility: hidden`, which changes nothing visible.
_JS_HIDE_UNSEEN_WORDS = """
limits => {
  const isText = node => node && node.nodeType === Node.TEXT_NODE && node.data.trim() !== '';
  const colorOf = written => {
    const parts = (written.match(/[\\d.]+/g) || []).map(Number);
    return written.startsWith('rgb') && parts.length >= 3 ? [...parts.slice(0, 3), parts[3] ?? 1] : null;
  };
  const luminance = color => {
    const [r, g, b] = color.slice(0, 3).map(part => part / 255)
      .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const groundOf = element => {
    for (let above = element; above; above = above.parentElement) {
      const style = getComputedStyle(above);
      if (style.backgroundImage !== 'none') return null;
      const color = colorOf(style.backgroundColor);
      if (color && color[3] > 0.5) return color;
    }
    return [255, 255, 255, 1];
  };
  const hasInk = (style, element) => {
    const ink = colorOf(style.webkitTextFillColor) || colorOf(style.color);
    if (!ink || style.backgroundClip.includes('text')) return true;
    if (ink[3] < limits.alpha) return false;
    const ground = groundOf(element);
    return !ground || contrast(ink, ground) >= limits.contrast;
  };
  const hasRoom = (style, element) => {
    const box = element.getBoundingClientRect();
    const clips = style.overflow !== 'visible' && style.display !== 'inline';
    if (clips && (box.width <= limits.clipped || box.height <= limits.clipped)) return false;
    return box.width > 0 && box.height > 0 && box.right + scrollX > 0 && box.bottom + scrollY > 0;
  };
  const isSeen = element => {
    const style = getComputedStyle(element);
    return element.checkVisibility({visibilityProperty: true}) && Number(style.opacity) >= limits.alpha
      && parseFloat(style.fontSize) >= limits.size && hasRoom(style, element) && hasInk(style, element);
  };
  const unseen = [];
  let left = limits.elements;
  for (const element of document.body ? document.body.querySelectorAll(':not(:has(*))') : []) {
    if (!element.style || !element.textContent.trim()) continue;
    if (!isText(element.previousSibling) && !isText(element.nextSibling)) continue;
    if (left-- <= 0) break;
    if (!isSeen(element)) unseen.push(element);
  }
  unseen.forEach(element => element.style.setProperty('visibility', 'hidden', 'important'));
  return unseen.length;
}
"""


async def hide_unseen_words(page: Any) -> int:
    """Hide invisible words in Playwright's page, and return the number of their elements."""
    return int(
        await page.evaluate(
            _JS_HIDE_UNSEEN_WORDS,
            {
                "alpha": MIN_ALPHA,
                "contrast": MIN_CONTRAST,
                "size": MIN_TEXT_PIXELS,
                "clipped": MAX_CLIPPED_PIXELS,
                "elements": MAX_LOOKED_AT_ELEMENTS,
            },
        )
    )

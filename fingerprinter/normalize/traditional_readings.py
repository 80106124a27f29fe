"""Traditional and variant forms whose most frequent reading is not that of their simplified form.

A copy in the other script must give the same letters, so these take the simplified form's initial (乾淨 as 干净). All
other pairs agree by their readings.
"""

_FORMS = (
    "祇乾閤蔘査祕閒縴綉殻鉆剎柵鎬匱鵠齦戱戯鎘頡頦靦閡鯽縝齜苧驃鋌蕁鈿薺噦錁嘸鉈鉿痾鯖"
    "鍩叄戇銚闞駘鰟鈄鉳鋙闒酇鰜躦賧驏鐔餄繰瞶醱籅鱄綝䃮"
)
_SIMPLIFIED = (
    "只干合参查秘闲纤绣壳钻刹栅镐匮鹄龈戏戏镉颉颏腼阂鲫缜龇苎骠铤荨钿荠哕锞呒铊铪疴鲭"
    "锘叁戆铫阚骀鳑钭锫铻阘酂鳒躜赕骣镡饸缲瞆酦𥫣𫚋𬘭鿎"
)
SIMPLIFIED_FORMS = dict(zip(_FORMS, _SIMPLIFIED, strict=True))

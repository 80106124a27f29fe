"""What stands where a page should, and pages that only speak of such things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.spiders.soft_blocks import BlockKind, detect_soft_block

STORY = "码头上的雾散了，卖鱼的人把木桶一只一只搬上石阶，她数了数口袋里的铜板，站住了脚。"
MENU = "".join(f"<li><a href=/{name}>{name}</a></li>" for name in ("首页", "新闻", "体育", "财经", "读书", "论坛"))


def page(body: str, title: str = "") -> str:
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


@pytest.mark.parametrize(
    ("kind", "html"),
    [
        (BlockKind.TOO_OFTEN, page("<p>您的访问过于频繁，请稍后再试。</p>", "提示信息")),
        (
            BlockKind.TOO_OFTEN,
            page(f"<ul>{MENU}</ul><div>抱歉，请求频率过高，请十分钟后再来。客服电话 400-000-0000</div>"),
        ),
        (BlockKind.TOO_OFTEN, page("<p>對不起，您的訪問過於頻繁！</p>")),
        (BlockKind.TOO_OFTEN, page("<h1>429 Too Many Requests</h1><hr><center>nginx</center>")),
        (BlockKind.TOO_OFTEN, page("<p>您的请求疑似攻击行为，已被网站管理员拦截。</p>", "拦截提示")),
        (BlockKind.CAPTCHA, page("<p>请输入图中的验证码以继续</p><img src=/code.png><input name=code>", "安全验证")),
        (BlockKind.CAPTCHA, page("<div id=slide>请按住滑块，拖动到最右边</div>")),
        (BlockKind.CAPTCHA, page("<div id=box></div><script src=/TCaptcha.js></script>", "验证")),
        (BlockKind.CAPTCHA, page("<p>Verify you are human by completing the action below.</p>", "news.test")),
        (BlockKind.CAPTCHA, page("<p></p>", "百家安全验证")),
        (BlockKind.LOGIN, page(f"<ul>{MENU}</ul><p>抱歉，您尚未登录，没有权限访问该版块</p>", "提示信息")),
        (BlockKind.LOGIN, page("<form><p>登录后可继续阅读全文</p><input type=password></form>")),
        (BlockKind.LOGIN, page("<form>用户名<input name=u>密码<input type=password></form>", "用户登录 - 某论坛")),
        (BlockKind.LOGIN, page(f"<ul>{MENU}</ul><p>抱歉，您所在的用户组(游客)没有权限进行此操作</p>", "提示信息")),
        (BlockKind.LOGIN, page("<h1>第一百章</h1><p>本章为VIP章节，请订阅后阅读</p>")),
        (BlockKind.FIREWALL, page("<p>很抱歉，由于您访问的URL有可能对网站造成安全威胁，您的访问被阻断。</p>", "405")),
        (
            BlockKind.FIREWALL,
            page("<p>您的请求带有不合法参数，已被网站管理员设置拦截！</p><p>可能原因：提交的内容危险</p>"),
        ),
        (BlockKind.FIREWALL, page("<h1>Access Denied</h1><p>You don't have permission to access this page.</p>")),
        (BlockKind.CLOSED, page("<h1>网站维护中</h1><p>系统升级维护，给您带来不便敬请谅解。</p>")),
        (BlockKind.CLOSED, page("<p>抱歉！该站点已经被管理员停止运行，请联系管理员了解详情！</p>", "抱歉，站点已暂停")),
        (BlockKind.CLOSED, page("<p>该网站未根据相关规定完成备案，暂时无法访问</p>", "备案提示")),
        (BlockKind.CLOSED, page("<p>该虚拟主机已到期，请联系服务商续费</p>")),
        (BlockKind.CLOSED, page("<h1>Welcome to nginx!</h1><p>If you see this page, the web server is working.</p>")),
        (BlockKind.CLOSED, page("<h1>建立数据库连接时出错</h1>")),
        (BlockKind.PARKED, page(f"<h1>该域名正在出售</h1><ul>{MENU * 30}</ul>", "a.test")),
        (BlockKind.PARKED, page("<p>This domain is for sale. Contact the broker.</p>")),
        (BlockKind.PARKED, page("<script src=//img.sedoparking.test/x.js></script>")),
        (
            BlockKind.REMOVED,
            page("<p>抱歉，指定的主题不存在或已被删除或正在被审核</p><a href=/>返回首页</a>", "提示信息"),
        ),
        (BlockKind.REMOVED, page(f"<ul>{MENU}</ul><h2>该内容已被作者删除</h2>")),
        (BlockKind.REMOVED, page("<h1>此章节已下架</h1><p>应版权方要求，本书已下架，敬请谅解。</p>")),
        (BlockKind.REMOVED, page("<p>根据相关法律法规和政策，该内容已被屏蔽。</p>")),
        (BlockKind.REMOVED, page("<h1>404</h1><p>很抱歉，您要访问的页面不存在</p>", "404 Not Found")),
        (BlockKind.REMOVED, page("<p>您訪問的頁面不存在！</p>")),
        (BlockKind.REMOVED, page("<p>This article has been removed.</p>")),
        (BlockKind.REMOVED, page("<p>此内容因违规无法查看</p><p>由用户投诉并经平台审核。</p>")),
        (BlockKind.REMOVED, page("<p>该书不存在或已下架</p>")),
        (BlockKind.LOGIN, page("<p>该章节已下架，请登录后查看是否已购买</p>")),
        (BlockKind.INTERSTITIAL, page("<script>document.cookie='ok=1';location.reload()</script>")),
        (BlockKind.INTERSTITIAL, page("<script>var arg1='4F';setCookie('acw_sc__v2',arg1)</script>")),
        (BlockKind.INTERSTITIAL, page("<p>请开启浏览器的 JavaScript 后刷新</p>")),
    ],
)
def test_what_stands_where_a_page_should_is_called_by_its_name(kind: BlockKind, html: str) -> None:
    block = detect_soft_block(html)
    assert block is not None
    assert block.kind is kind
    assert block.sign
    assert block.message.text("zh") != block.message.text("en")


@pytest.mark.parametrize(
    "html",
    [
        "",
        page(""),
        page("<div id=app></div><script src=/main.js></script>"),
        page(f"<h1>那篇文章已被删除</h1><p>{STORY * 4}</p><p>{STORY * 2}</p>", "页面不存在"),
        page(f"<p>{STORY * 3}</p><p>此评论已被删除</p><p>该内容已被删除</p>"),
        page(f"<h1>为什么网站总要你输入验证码</h1><p>请输入验证码，请完成安全验证：{STORY * 4}</p>", "安全验证"),
        page(f"<p>打开网页，看到的是“访问过于频繁，请稍后再试”。{STORY}</p><p>{STORY * 3}</p>"),
        page(f"<p>{STORY * 2}</p><p>{STORY * 2}</p><p>登录后查看全文</p>"),
        page(f"<p>{STORY}</p><p>您需要登录后才可以回帖</p><a href=/login>登录</a>"),
        page(f"<p>{STORY}</p><form>发表评论 <a href=/login>请先登录</a></form>"),
        page(f"<p>{STORY * 4}</p><div class=g-recaptcha></div><input type=password>", "登录之夜"),
        page(f"<p>他守着那个域名等了十年，到期那天{STORY * 4}</p>"),
        page(f"<form><input type=password></form><ul>{MENU * 60}</ul>", "某某论坛"),
        page(f"<script>document.cookie='a=1';if(0)location.reload()</script><p>{STORY * 3}</p>"),
        page(f"<ul>{MENU * 3}</ul><div>主办：某某中学 网站维护：网络中心 电话 000-0000</div>"),
        page(f"<ul>{MENU * 3}</ul><p>论坛关闭注册</p><p>系统升级公告</p><p>开通会员阅读更多</p>"),
        page(f"<ul>{MENU * 3}</ul><p>不存在的恋人</p><p>小说不存在的恋人 作者：某某</p>"),
        page(f"<h1>网站维护中</h1><p>{STORY * 4}</p><p>{STORY * 2}</p>", "网站维护中"),
        page("<p>The ferry was late, and nobody on the quay knew why. " * 40 + "Verify you are human.</p>"),
    ],
)
def test_a_page_with_text_or_links_of_its_own_is_a_page_whatever_it_speaks_about(html: str) -> None:
    assert detect_soft_block(html) is None


@given(st.text(max_size=300))
def test_any_text_can_be_looked_at(html: str) -> None:
    detect_soft_block(html)

#include "views/assets.h"

namespace relayer::views
{
namespace
{
constexpr std::string_view kStyle = R"css(:root{color-scheme:light dark;
--paper:#f6f5f1;--faint:#c3c0b7;--card:#fff;--ink:#1d1f21;--soft:#5a5e64;--line:#e1ded6;
--code:#f0eee8;--edge:#8f9299;
--link:#0a559f;--fill:#0b5cad;--on-fill:#fff;--good:#176639;--bad:#a42c1b;--wait:#7d5200;
--good-bg:#e3f2e8;--bad-bg:#fbe7e3;--wait-bg:#faf0da;--calm-bg:#e6eef8;
font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
@media (prefers-color-scheme:dark){:root{
--paper:#131518;--faint:#4a4f57;--card:#1b1e22;--ink:#e7e5e0;--soft:#a3a7ad;--line:#30343a;
--code:#24282d;--edge:#767b83;
--link:#84bdf7;--fill:#84bdf7;--on-fill:#0d1b29;--good:#7fd6a2;--bad:#f4988a;--wait:#e6bc6b;
--good-bg:#17301f;--bad-bg:#3a1d19;--wait-bg:#33290f;--calm-bg:#182a3d}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;min-height:100vh;display:flex;flex-direction:column;background:var(--paper);
color:var(--ink);overflow-wrap:anywhere}
a{color:var(--link);text-underline-offset:.18em}
:focus-visible{outline:2px solid var(--link);outline-offset:2px;border-radius:.25rem}
main:focus{outline:0}
code,.numbers td,.of,.rate{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",
monospace;font-size:.86em}
.numbers td,.of,.rate,time,dd,small{font-variant-numeric:tabular-nums}
small,.hint,.crumbs,.empty,footer,dt,.state{color:var(--soft)}
small{font-size:.84em}
.skip{position:absolute;left:-99rem}
.skip:focus{left:1rem;top:.5rem;z-index:2;background:var(--card);padding:.4rem .8rem}
.top{display:flex;align-items:center;gap:.4rem 1.8rem;
padding:.55rem max(1.25rem,calc(50vw - 38rem));
background:var(--card);border-bottom:1px solid var(--line);flex-wrap:wrap}
.brand{display:inline-flex;align-items:center;gap:.45rem;color:var(--ink);font-weight:650;
text-decoration:none;letter-spacing:-.01em}
.brand svg{width:1.5rem;height:1.5rem;fill:none;stroke:var(--fill);stroke-width:2.2;
stroke-linecap:round;stroke-linejoin:round}
.top nav ul{display:flex;gap:.15rem;list-style:none;margin:0;padding:0;flex-wrap:wrap}
.top nav a{display:block;padding:.42rem .75rem;border-radius:.45rem;color:var(--ink);
text-decoration:none}
.top nav a:hover{background:var(--code)}
.top nav a[aria-current]{background:var(--calm-bg);color:var(--link);font-weight:600}
.who{margin-left:auto;display:flex;align-items:center;gap:.7rem;font-size:.9rem;color:var(--soft)}
main{flex:1;width:100%;max-width:78.5rem;margin:0 auto;padding:1.5rem 1.25rem 3rem}
footer{border-top:1px solid var(--line);padding:.8rem max(1.25rem,calc(50vw - 38rem));display:flex;
gap:.3rem 1.4rem;font-size:.84rem;flex-wrap:wrap}
footer b{font-weight:inherit}
.pulse{margin-left:auto;color:var(--good)}
.pulse::before{content:"";display:inline-block;width:.5rem;height:.5rem;border-radius:50%;
background:currentColor;margin-right:.4rem}
.pulse.lost{color:var(--bad)}
h1{font-size:1.6rem;line-height:1.2;letter-spacing:-.015em;margin:0 0 1rem}
h2{font-size:1.02rem;margin:0 0 .8rem}
h3{font-size:.92rem;margin:0 0 .3rem}
p{margin:.4rem 0}
.lead{margin:-.4rem 0 1.2rem;color:var(--soft)}
.card{background:var(--card);border:1px solid var(--line);border-radius:.7rem;
padding:1.05rem 1.2rem;
min-width:0}
.wide,.grid{margin-bottom:1.1rem}
.grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(23rem,100%),1fr));gap:1.1rem}
.health{display:flex;flex-wrap:wrap;gap:.45rem;list-style:none;margin:0 0 1.1rem;padding:0;
font-size:.88rem}
.health li{border-radius:2rem;padding:.22rem .8rem;background:var(--good-bg);color:var(--good)}
.health b{font-weight:600}
.health .down{background:var(--bad-bg);color:var(--bad)}
.health .poor{background:var(--wait-bg);color:var(--wait)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.48rem .9rem .48rem 0;border-top:1px solid var(--line);
vertical-align:top;font-weight:400;overflow-wrap:normal}
.scroll th,.scroll td{white-space:nowrap}
thead th{border-top:0;color:var(--soft);font-size:.8rem;padding-top:0;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
.numbers td,.numbers thead th:not(:first-child){text-align:right}
.numbers td.word,.numbers thead th.word{text-align:left;font-family:inherit;font-size:inherit}
.numbers .zero,.numbers .none{color:var(--soft)}
.numbers .sum{font-weight:650}
.list{background:var(--card)}
.list tbody tr:hover{background:var(--code)}
.list th:first-child,.list td:first-child{padding-left:1rem}
.list th:last-child,.list td:last-child{padding-right:1rem}
main>.scroll{border:1px solid var(--line);border-radius:.7rem;background:var(--card)}
main>.scroll thead th{padding-top:.6rem}
time{white-space:nowrap;color:var(--soft)}
time b{font-weight:500;color:var(--ink)}
.badge{display:inline-block;border-radius:2rem;padding:.06rem .62rem;font-size:.82rem;
white-space:nowrap;
background:var(--calm-bg);color:var(--link)}
.badge.s-completed{background:var(--good-bg);color:var(--good)}
.badge.s-failure,.badge.s-timed_out{background:var(--bad-bg);color:var(--bad)}
.badge.s-queued{background:var(--wait-bg);color:var(--wait)}
.tag{display:inline-block;border:1px solid var(--line);border-radius:.35rem;padding:0 .4rem;
font-size:.76rem;color:var(--soft);font-weight:400}
.tag.good,.ok{color:var(--good)}
.down,.wrong{color:var(--bad)}
.wrong{font-size:.9rem}
h3 .ok,h3 .down{font-weight:400;font-size:.84rem}
.queue+.queue,.lane+.lane,.attempt+.attempt{margin-top:.9rem;padding-top:.9rem;
border-top:1px solid var(--line)}
.lane+h3,ol+h3,ul+h3{margin-top:1.1rem}
.job span::first-letter,.setting label::first-letter,
.queue h3::first-letter{text-transform:uppercase}
.queue p{display:grid;grid-template-columns:5.6rem minmax(3.5rem,1fr) auto;gap:.8rem;
align-items:center;font-size:.88rem;margin:.25rem 0}
.queue h3{display:flex;justify-content:space-between}
.queue h3,.lane h3{font-weight:600}
.rate{color:var(--soft);font-weight:400}
.of{text-align:right;white-space:nowrap;color:var(--soft)}.of b{color:var(--ink)}
meter{display:block;width:100%;height:.6rem;border:0;background:var(--code);border-radius:1rem}
meter::-webkit-meter-inner-element{display:block;height:.6rem}
meter::-webkit-meter-bar{background:var(--code);border:0;border-radius:1rem;height:.6rem}
meter::-webkit-meter-optimum-value{background:var(--fill);border-radius:1rem}
meter::-webkit-meter-suboptimum-value{background:var(--wait);border-radius:1rem}
meter::-moz-meter-bar{background:var(--fill);border-radius:1rem}
.facts{display:flex;flex-wrap:wrap;gap:.5rem 1.7rem;margin:.3rem 0 0}
.facts dt,.pairs dt{font-size:.8rem}
.facts dd{margin:0;font-weight:600}
.facts.big dd{font-size:1.5rem;line-height:1.3}
.pairs{margin:0}
.pairs>div{display:grid;grid-template-columns:8.5rem minmax(0,1fr);gap:.8rem;padding:.32rem 0}
.pairs dd{margin:0}
.pairs dt{padding-top:.1rem}
label{display:block;font-size:.86rem;font-weight:550;margin-bottom:.25rem}
input,select,button,.button{font:inherit;border:1px solid var(--edge);border-radius:.45rem;
padding:.42rem .7rem;background:var(--card);color:var(--ink);min-height:2.45rem}
input,select{width:100%;min-width:0}
input[aria-invalid]{border-color:var(--bad)}
button,.button{background:var(--fill);border-color:var(--fill);color:var(--on-fill);font-weight:550;
cursor:pointer;text-decoration:none;display:inline-block;white-space:nowrap}
button:hover,.button:hover{filter:brightness(1.08)}
.quiet{background:transparent;color:var(--ink);border-color:var(--line);font-weight:400}
.danger{background:transparent;border-color:var(--bad);color:var(--bad)}
.search{display:flex;flex-wrap:wrap;gap:.8rem;align-items:end;margin-bottom:1.1rem}
.search .field{flex:1 1 8.5rem}.search .grow{flex:1 1 100%}
.search .buttons{flex:0 0 auto;margin-left:auto;display:flex;gap:.5rem}
.pages{display:flex;justify-content:flex-end;gap:.6rem;margin-top:1rem}
.notice{border-radius:.6rem;padding:.6rem 1rem;margin:0 0 1.1rem}
.notice.good{background:var(--good-bg);color:var(--good)}
.notice.bad{background:var(--bad-bg);color:var(--bad)}
.login{max-width:26rem;margin:8vh auto 0}.login button{width:100%;margin-top:.9rem}
.login label{margin-top:.9rem}
.narrow{max-width:36rem}
.hint,.state{font-size:.86rem}
.job{display:flex;flex-wrap:wrap;align-items:baseline;gap:.2rem .8rem}
.job code{font-size:1rem;font-weight:400;color:var(--soft)}
.crumbs{margin:0 0 .4rem;font-size:.9rem}
.detail{background:var(--bad-bg);color:var(--bad);border-radius:.6rem;padding:.5rem 1rem}
.lifecycle{display:block;width:100%;min-width:44rem;height:auto;
font-family:inherit}
.lifecycle rect{fill:var(--code);stroke:var(--faint);stroke-width:1.5}
.lifecycle text{text-anchor:middle;fill:var(--soft);font-size:14px}
.lifecycle .time{font-size:12.5px;font-variant-numeric:tabular-nums}
.lifecycle .seen rect{fill:var(--calm-bg);stroke:var(--fill)}
.lifecycle .seen .name{fill:var(--ink);font-weight:600}
.lifecycle .here rect{stroke-width:3}
.lifecycle .here.s-completed rect{fill:var(--good-bg);stroke:var(--good)}
.lifecycle .here.s-failure rect,.lifecycle .here.s-timed_out rect{fill:var(--bad-bg);
stroke:var(--bad)}
.lifecycle .edge{fill:none;stroke:var(--faint);stroke-width:1.5}
.lifecycle .taken{stroke:var(--fill);stroke-width:2.6}
.head-way{fill:var(--faint)}.head-taken{fill:var(--fill)}
.timeline,.shares,.events{list-style:none;margin:1rem 0 0;padding:0;font-size:.9rem}
.timeline li{display:grid;grid-template-columns:14.5rem minmax(0,1fr);gap:.2rem 1rem;
padding:.3rem 0;
border-top:1px solid var(--line)}
.timeline i{font-style:normal}
.shares li,.events li{display:flex;justify-content:space-between;gap:.2rem 1rem;flex-wrap:wrap;
padding:.25rem 0;border-top:1px solid var(--line)}
.actions form{display:grid;grid-template-columns:minmax(0,1fr) auto;gap:.5rem 1.4rem;
align-items:center;padding:.8rem 0;border-top:1px solid var(--line)}
.actions form:first-of-type{border-top:0;padding-top:0}
.actions form>.field{grid-column:1}
.actions form>button{grid-column:2}
.actions p{margin:0}
.settings{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(24rem,100%),1fr));
gap:1.1rem;
margin-bottom:1.1rem}
.setting{display:flex;flex-direction:column}
.setting label{font-size:.98rem;margin:0}
.setting .hint{margin:.1rem 0 .6rem;flex:1}
.row{display:flex;gap:.5rem}
.state{display:flex;flex-wrap:wrap;gap:0 1rem;margin:.45rem 0 0;font-size:.82rem}
.changed{color:var(--wait)}
@media (max-width:44rem){main{padding:1.1rem .9rem 2.5rem}
.top{padding:.55rem .9rem;gap:.3rem .8rem}.top nav{order:3;width:100%}
.top nav ul{gap:0;justify-content:space-between}.top nav a{padding:.42rem .55rem}
footer{padding:.8rem .9rem}
.card{padding:.9rem}
.queue p{gap:.5rem}
.pairs>div{grid-template-columns:1fr;gap:0}
.timeline li{grid-template-columns:1fr}
.actions form{grid-template-columns:1fr}.actions form>button{grid-column:1;justify-self:start}
.search .buttons{margin-left:0;width:100%}
.job code{font-size:.86rem}}
@media (prefers-reduced-motion:no-preference){a,button,.button{transition:filter .12s,
background .12s}}
)css";
}  // namespace

std::string_view consoleStyle()
{
    return kStyle;
}
}  // namespace relayer::views

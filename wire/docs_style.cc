#include "wire/docs_page.h"

namespace relayer::wire
{
namespace
{
constexpr std::string_view kStyle = R"(:root{color-scheme:light dark;
--paper:#fbfaf7;--card:#fff;--ink:#1d1f21;--soft:#5c6066;--line:#e2dfd8;--code:#f3f1ec;
--link:#0b5cad;--post:#1a6e3c;--get:#0b5cad;--good:#1a6e3c;--bad:#a8321f;--wait:#8a5a00}
@media (prefers-color-scheme:dark){:root{
--paper:#15171a;--card:#1c1f23;--ink:#e6e4df;--soft:#a0a4aa;--line:#31353b;--code:#22262b;
--link:#7ab7f5;--post:#6fce97;--get:#7ab7f5;--good:#6fce97;--bad:#f0907e;--wait:#e0b25c}}
*{box-sizing:border-box}
html{scroll-padding-top:1rem;-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,-apple-system,
"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif}
a{color:var(--link);text-decoration:none}a:hover{text-decoration:underline}
code,pre,.path,.name{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",
monospace;font-size:.875em}
.page{max-width:76rem;margin:0 auto;padding:0 1.25rem 4rem;display:grid;
grid-template:"nav top" auto "nav main" 1fr/15.5rem minmax(0,1fr);gap:0 2.75rem}
header{grid-area:top;padding:2rem 0 0;min-width:0}
nav{grid-area:nav;position:sticky;top:0;align-self:start;max-height:100vh;overflow:auto;
padding:2rem 0}
nav h2{font-size:.75rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);
margin:1.4rem 0 .35rem}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:.5rem;align-items:baseline;padding:.22rem 0;color:var(--ink);
font-size:.84rem;line-height:1.35}
nav .path{overflow-wrap:anywhere;font-size:.8rem}
main{grid-area:main;padding:0 0 2rem;min-width:0}
h1{font-size:1.9rem;line-height:1.2;margin:0 0 .25rem}
.version{color:var(--soft);margin:0 0 1.4rem}
.about p{max-width:44rem;margin:.7rem 0}
section>h2{margin:3rem 0 1rem;font-size:1.3rem;border-bottom:1px solid var(--line);
padding-bottom:.4rem}
article{background:var(--card);border:1px solid var(--line);border-radius:.6rem;
padding:1.2rem 1.3rem;margin:0 0 1.4rem}
article h3{margin:0;font-size:1rem;font-weight:600;display:flex;gap:.65rem;align-items:baseline;
flex-wrap:wrap}
article h3 .path{overflow-wrap:anywhere;font-size:.95rem}
article h4{font-size:.75rem;text-transform:uppercase;letter-spacing:.06em;color:var(--soft);
margin:1.4rem 0 .4rem}
article>p{margin:.4rem 0 0}
.method{font:600 .7rem/1 ui-monospace,monospace;letter-spacing:.04em;min-width:2.4rem}
.post{color:var(--post)}.get{color:var(--get)}
.fields{list-style:none;margin:0;padding:0}
.fields>li{padding:.5rem 0;border-top:1px solid var(--line);display:grid;
grid-template-columns:minmax(9rem,17rem) minmax(0,1fr);gap:.2rem 1.2rem}
.fields>li:first-child{border-top:0}
.name{overflow-wrap:anywhere}
.kind{display:block;color:var(--soft);font-size:.78rem}
.what{font-size:.92rem}
.what code{overflow-wrap:anywhere;background:var(--code);padding:.05em .3em;border-radius:.25em}
details.answer,details.sample{border-top:1px solid var(--line)}
details.answer:first-of-type{border-top:0}
summary{cursor:pointer;padding:.5rem 0}
summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px;
border-radius:.2rem}
.status{font-weight:600;margin-right:.5rem}
.s2{color:var(--good)}.s4{color:var(--wait)}.s5{color:var(--bad)}
.headers{color:var(--soft);font-size:.84rem;margin:.1rem 0 .5rem}
details.sample{margin-left:1.05rem}
details.sample summary{font-size:.92rem}
pre{background:var(--code);border-radius:.45rem;padding:.8rem .95rem;margin:.3rem 0 .9rem;
overflow-x:auto;line-height:1.5;white-space:pre;tab-size:2}
table{border-collapse:collapse;width:100%;font-size:.92rem}
th{text-align:left;color:var(--soft);font-weight:600;font-size:.78rem}
th,td{padding:.4rem .8rem .4rem 0;border-top:1px solid var(--line);vertical-align:top}
tr:first-child th{border-top:0}
@media (max-width:56rem){.page{display:block;padding:0 1rem 3rem}
header{padding:1.2rem 0 0}h1{font-size:1.5rem}
nav{position:static;max-height:none;padding:0 0 1rem;border-bottom:1px solid var(--line)}
section>h2{margin-top:2rem}
article{padding:1rem;border-radius:.5rem}
.fields>li{grid-template-columns:1fr}
details.sample{margin-left:0}}
@media print{nav{display:none}.page{display:block}article{break-inside:avoid}}
)";
}  // namespace

std::string_view docsStyle()
{
    return kStyle;
}
}  // namespace relayer::wire

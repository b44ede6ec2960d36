/* The style of the page: light, dark, narrow, printed. Colours of clusters are
 * those of Okabe and Ito; nothing is told by colour alone. */
#ifndef KITH_TOOL_REPORT_STYLE_H
#define KITH_TOOL_REPORT_STYLE_H

static const char *const REPORT_STYLE[] = {
    ":root{--bg:#fff;--fg:#1b1f24;--muted:#57606a;--line:#d0d7de;--soft:#f4f6f8"
    ";--accent:#0b62a4;--bad:#a4160b;--badbg:#fdecea;--warnbg:#fff6dd;--warn:"
    "#6b4e00;--okbg:#e8f5ee;--ok:#0a5c36;--bar:#0072b2;color-scheme:light "
    "dark}\n",
    "@media(prefers-color-scheme:dark){:root{--bg:#15181c;--fg:#e6e9ec;--muted:"
    "#aab2ba;--line:#3a424a;--soft:#1e2329;--accent:#7cc4f5;--bad:#ffb4a9;"
    "--badbg:#43160f;--warnbg:#3a2f0c;--warn:#f5d67b;--okbg:#10321f;--ok:"
    "#9be3bb;--bar:#56b4e9}}\n",
    "*{box-sizing:border-box}\n",
    "body{margin:0;background:var(--bg);color:var(--fg);font:16px/1.55 "
    "system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif}\n",
    "main{max-width:68rem;margin:0 auto;padding:1.5rem 1rem 4rem}\n",
    "h1{font-size:1.7rem;line-height:1.25;margin:.2rem 0 .3rem;overflow-wrap:"
    "anywhere}\n",
    "h2{font-size:1.2rem;margin:2.4rem 0 "
    ".5rem;padding-top:.9rem;border-top:1px "
    "solid var(--line)}\n",
    "h3{font-size:1rem;margin:0 0 .5rem}h4{font-size:.85rem;margin:.7rem 0 "
    ".2rem;color:var(--muted)}\n",
    "p{margin:.5rem 0;max-width:46rem}small{color:var(--muted);font-size:.82em;"
    "font-weight:400}\n",
    "code{font:.9em ui-monospace,'DejaVu Sans Mono',monospace;background:var("
    "--soft);padding:.1em .3em;border-radius:3px;overflow-wrap:anywhere}\n",
    ".sub,.note{color:var(--muted)}.note{font-size:.88rem}\n",
    ".promise{background:var(--soft);border-left:4px solid var(--accent);"
    "padding:.9rem 1.1rem;margin:1.2rem 0;border-radius:0 6px 6px 0}\n",
    ".promise p:first-child{font-size:1.15rem;margin-top:0}\n",
    ".badge{display:inline-block;font-size:.82rem;padding:.1rem "
    ".6rem;border-radius:1rem;margin:.15rem .3rem .15rem 0;border:1px solid "
    "currentColor;overflow-wrap:anywhere}\n",
    ".ok{color:var(--ok);background:var(--okbg)}.warn{color:var(--warn);"
    "background:var(--warnbg)}.bad{color:var(--bad);background:var(--badbg)}\n",
    ".banner{color:var(--bad);background:var(--badbg);border:2px solid "
    "var(--bad);padding:.7rem 1rem;border-radius:6px;font-weight:600}\n",
    "ul.words{list-style:none;padding:0;margin:.6rem 0}ul.words "
    "li{padding:.55rem .9rem;border-radius:6px;margin:.35rem 0;max-width:46rem}"
    "ul.words li::before{content:'\\26a0\\00a0\\00a0'}\n",
    ".cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min("
    "100%,19rem),1fr));gap:.9rem;margin:1rem 0}\n",
    ".card{border:1px solid var(--line);border-top:4px solid "
    "var(--c,var(--bar))"
    ";border-radius:6px;padding:.7rem .8rem;min-width:0;break-inside:avoid}\n",
    ".card img{width:100%;image-rendering:pixelated;display:block;border:1px "
    "solid var(--line);border-radius:3px;margin:0 0 .6rem}\n",
    ".strip img{height:1.6rem}.pictures img{max-width:12rem}\n",
    ".c0{--c:#0072b2}.c1{--c:#d55e00}.c2{--c:#009e73}.c3{--c:#cc79a7}.c4{--c:"
    "#e69f00}.c5{--c:#56b4e9}.c6{--c:#8a6d00}.c7{--c:#7a7a7a}\n",
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-"
    "size:"
    ".9rem}\n",
    "th,td{text-align:right;padding:.18rem .5rem;border-bottom:1px solid "
    "var(--line);white-space:nowrap}th[scope=row]{text-align:left;font-weight:"
    "500}thead th{color:var(--muted);font-weight:500}\n",
    ".bars{width:100%;table-layout:fixed}.bars th,.bars "
    "td{border:0;padding:.16rem .25rem}.bars "
    "th[scope=row]{width:34%;white-space"
    ":normal;overflow-wrap:anywhere;padding-left:0}.bars .value{width:34%;"
    "overflow-wrap:anywhere;white-space:normal;padding-right:0}.bars "
    ".value small{white-space:nowrap}.bars .chart{width:32%}.bars "
    ".chart:empty{display:none}bdi{overflow-wrap:anywhere}\n",
    "main>section>.bars{max-width:46rem}.sizes th[scope=row]{width:22%}.sizes "
    ".chart{width:50%}.sizes .value{width:28%}\n",
    ".bars svg{display:block;width:100%;height:1rem}.frame{fill:var(--soft);"
    "stroke:var(--line);stroke-width:1;vector-effect:non-scaling-stroke}.bar{"
    "fill:var(--c,var(--bar))}.whisker{stroke:var(--fg);stroke-width:2;"
    "vector-effect:non-scaling-stroke}\n",
    ".wide{overflow-x:auto;max-width:100%}details{margin:.8rem "
    "0}summary{cursor:"
    "pointer;color:var(--accent);padding:.2rem 0}\n",
    "details table{margin:.5rem 0}thead th:first-child{text-align:left}\n",
    "main>section>.bars th[scope=row]{width:36%}main>section>.bars "
    ".chart{width:44%}main>section>.bars .value{width:20%}.bars th "
    "small{display:block;line-height:1.2}\n",
    "@media(max-width:34rem){main>section>.bars th[scope=row]{width:32%}main>"
    "section>.bars .chart{width:34%}main>section>.bars .value{width:34%}}\n",
    "@media print{@page{size:A4;margin:16mm 14mm}:root{--bg:#fff;--fg:#000;"
    "--muted:#444;--line:#bbb;--soft:#f4f4f4;--accent:#000;--bar:#0072b2;--bad:"
    "#a4160b;--badbg:#fff}body{font-size:10.5pt}main{max-width:none;padding:0}"
    "h2{break-after:avoid}tr{break-inside:avoid}.wide{overflow:visible}.bar,"
    ".frame,.badge,.card{print-color-adjust:exact;-webkit-print-color-adjust:"
    "exact}.cards{grid-template-columns:repeat(2,1fr)}\n",
    ".sheet{width:100%;font-size:inherit}.sheet>thead td{border:0;padding:0 0 "
    "5mm;text-align:left}details::details-content{content-visibility:visible;"
    "block-size:auto}}\n",
    ".sheet td.page{padding:0;border:0;text-align:left;white-space:normal}\n",
    "@media "
    "screen{.sheet>thead{display:none}.sheet,.sheet>tbody,.sheet>tbody>tr"
    ",.sheet td.page{display:block;font-size:16px}}\n",
};

#endif

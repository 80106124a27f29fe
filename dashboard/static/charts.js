// Charts drawn once more by ECharts: with words where one points, zoom, and a click that leads to the cases. What the
// server drew stays for readers without script and for paper; colours come from the style sheet, patterns stand beside.
const source = document.querySelector("[data-echarts]").dataset.echarts;
const echarts = await import(source);
const print = matchMedia("print");

function looks(place) {
  const style = getComputedStyle(place);
  return { ink: style.color, line: style.getPropertyValue("--line"), sheet: style.getPropertyValue("--sheet") };
}

function fill(place, name) {
  const swatch = place.querySelector(`rect.part.${CSS.escape(name)}`);
  return swatch ? getComputedStyle(swatch).fill : undefined;
}

function option(place, chart) {
  const { ink, line, sheet } = looks(place);
  const many = chart.labels.length > 20;
  const numbers = { color: ink, fontFamily: getComputedStyle(place).fontFamily };
  return {
    animation: false,
    textStyle: numbers,
    aria: { enabled: true, label: { enabled: false }, decal: { show: chart.series.length > 1 } },
    grid: { left: 8, right: 8, top: 16, bottom: many ? 48 : 8, containLabel: true },
    tooltip: {
      trigger: "axis",
      renderMode: "richText", // drawn, as styles written into the page are refused by its policy
      axisPointer: { type: "shadow" },
      backgroundColor: sheet,
      borderColor: line,
      textStyle: { ...numbers, fontSize: 13 },
      formatter: (points) =>
        [points[0].axisValue, ...points.filter((one) => one.value).map((one) => `${one.seriesName} ${one.value}`)].join("\n"),
    },
    legend: { show: false },
    dataZoom: many
      ? [{ type: "inside" }, { type: "slider", height: 20, bottom: 8, textStyle: numbers, borderColor: line }]
      : [],
    xAxis: { type: "category", data: chart.labels, axisLine: { lineStyle: { color: line } }, axisLabel: { color: ink } },
    yAxis: { type: "value", minInterval: 1, splitLine: { lineStyle: { color: line } }, axisLabel: { color: ink } },
    series: chart.series.map((one) => ({
      name: one.words,
      type: "bar",
      stack: "all",
      data: one.counts,
      itemStyle: { color: fill(place, one.name), borderColor: sheet, borderWidth: 0.5 },
      cursor: chart.links.length ? "pointer" : "default",
    })),
  };
}

function draw(place) {
  const chart = JSON.parse(place.dataset.chart);
  const drawn = document.createElement("div");
  drawn.className = "drawn no-print";
  drawn.setAttribute("role", "img");
  drawn.setAttribute("aria-label", place.querySelector("svg").getAttribute("aria-label"));
  place.prepend(drawn);
  place.classList.add("redrawn");
  const made = echarts.init(drawn);
  made.setOption(option(place, chart));
  made.on("click", (one) => {
    const link = chart.links[one.dataIndex];
    if (link) location.href = link;
  });
  new ResizeObserver(() => made.resize()).observe(drawn);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => made.setOption(option(place, chart), true));
}

if (!print.matches) for (const place of document.querySelectorAll("[data-chart]")) draw(place);

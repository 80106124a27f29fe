// The map of who copies whom, drawn by ECharts: dragged, zoomed, and clicked through to the cases. The list beside it
// says the same to keyboards and screen readers.
const place = document.querySelector("[data-map]");
const echarts = await import(place.dataset.echarts);
const map = JSON.parse(place.dataset.map);
const SHAPES = { work: "circle", cluster: "diamond", host: "rect" };

function option() {
  const style = getComputedStyle(place);
  const of = (name) => style.getPropertyValue(name).trim();
  const text = { color: style.color, fontFamily: style.fontFamily };
  const colours = { work: "#b8352a", cluster: "#c98a1b", host: "#3d86a0" };
  const most = Math.max(...map.nodes.map((one) => one.copies), 1);
  return {
    animation: false,
    textStyle: text,
    legend: [{ data: map.kinds.map((kind) => ({ name: kind.words, icon: SHAPES[kind.name] })), textStyle: text, top: 0 }],
    tooltip: {
      renderMode: "richText",
      backgroundColor: of("--sheet"),
      borderColor: of("--line"),
      textStyle: text,
      formatter: (one) =>
        one.dataType === "edge" ? `${one.data.words}` : `${one.data.kind} · ${one.data.title}\n${one.data.told}`,
    },
    series: [
      {
        type: "graph",
        layout: "force",
        roam: true,
        draggable: true,
        top: 70,
        bottom: 40,
        left: 60,
        right: 60,
        categories: map.kinds.map((kind) => ({
          name: kind.words,
          symbol: SHAPES[kind.name],
          itemStyle: { color: colours[kind.name] },
        })),
        data: map.nodes.map((node) => ({
          ...node,
          name: node.id,
          kind: map.kinds[node.category].words,
          symbol: SHAPES[map.kinds[node.category].name],
          symbolSize: 12 + 28 * Math.sqrt(node.copies / most),
        })),
        links: map.edges.map((edge) => ({
          ...edge,
          lineStyle: { width: 1 + Math.log2(edge.copies) },
        })),
        label: { show: true, position: "bottom", formatter: (one) => one.data.title.slice(0, 14), ...text, textBorderWidth: 0 },
        labelLayout: { hideOverlap: true },
        lineStyle: { color: of("--soft"), opacity: 0.6, curveness: 0.05 },
        emphasis: { focus: "adjacency" },
        force: { repulsion: 900, edgeLength: [110, 240], gravity: 0.08, layoutAnimation: false },
        cursor: "pointer",
      },
    ],
  };
}

place.hidden = false;
const made = echarts.init(place);
made.setOption(option());
made.on("click", (one) => {
  if (one.data.link) location.href = one.data.link;
});
new ResizeObserver(() => made.resize()).observe(place);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => made.setOption(option(), true));

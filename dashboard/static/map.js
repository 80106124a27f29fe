// The map of who copies whom, drawn by ECharts: dragged, zoomed, and clicked through to the cases. The list beside it
// says the same to keyboards and screen readers.
const place = document.querySelector("[data-map]");
const echarts = await import(place.dataset.echarts);
const map = JSON.parse(place.dataset.map);
const [SIDE, TOP, BOTTOM] = [70, 60, 50]; // room for the legend, and for names below what they name
const mostCopies = Math.max(...map.nodes.map((one) => one.copies), 1);
const SHAPES = { work: "circle", cluster: "diamond", host: "rect" };

const narrow = () => place.clientWidth < 600;

function short(title) {
  const signs = [...title];
  const most = narrow() && !/^[ -~]*$/.test(title) ? 10 : 20; // Chinese characters are twice as wide as Latin letters
  return signs.length > most ? signs.slice(0, most - 1).join("") + "…" : title;
}

function size(copies) {
  return (narrow() ? 0.7 : 1) * (12 + 28 * Math.sqrt(copies / mostCopies));
}

// Whether a name would lie over another node than its own: what it names is told where one points.
function overNode({ labelRect, dataIndex }) {
  const nodes = made.getModel().getSeriesByIndex(0).getData();
  return map.nodes.some((node, number) => {
    if (number === dataIndex) return false;
    const [x, y] = made.convertToPixel({ seriesIndex: 0 }, nodes.getItemLayout(number));
    const half = size(node.copies) / 2;
    const beside = x + half < labelRect.x || x - half > labelRect.x + labelRect.width;
    return !beside && y + half > labelRect.y && y - half < labelRect.y + labelRect.height;
  });
}

function option() {
  const style = getComputedStyle(place);
  const of = (name) => style.getPropertyValue(name).trim();
  const text = { color: style.color, fontFamily: style.fontFamily };
  const colours = { work: "#b8352a", cluster: "#c98a1b", host: "#3d86a0" };
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
          symbolSize: size(node.copies),
        })),
        links: map.edges.map((edge) => ({
          ...edge,
          lineStyle: { width: 1 + Math.log2(edge.copies) },
        })),
        label: { show: true, position: "bottom", formatter: (one) => short(one.data.title), ...text, textBorderWidth: 0, minMargin: 4 },
        labelLayout: (label) => (overNode(label) ? { x: -9999 } : { hideOverlap: true }),
        lineStyle: { color: of("--soft"), opacity: 0.6, curveness: 0.05 },
        emphasis: { focus: "adjacency" },
        force: { repulsion: 900, edgeLength: [110, 240], gravity: 0.08, layoutAnimation: false },
        cursor: "pointer",
      },
    ],
  };
}

// The forces push some out of the frame: where they ended is then drawn together to fill it.
function draw() {
  made.setOption(option(), true);
  const nodes = made.getModel().getSeriesByIndex(0).getData();
  const at = map.nodes.map((node) => nodes.getItemLayout(nodes.indexOfName(node.id)));
  const frame = [made.getWidth() - 2 * SIDE, made.getHeight() - TOP - BOTTOM];
  const least = [0, 1].map((axis) => Math.min(...at.map((point) => point[axis])));
  const spans = [0, 1].map((axis) => Math.max(Math.max(...at.map((point) => point[axis])) - least[axis], 1));
  const scales = [0, 1].map((axis) => frame[axis] / spans[axis]);
  const [across, down] = scales.map((scale, axis) => spans[axis] * Math.min(scale, (narrow() ? 3 : 2) * Math.min(...scales)));
  const fitted = option();
  Object.assign(fitted.series[0], {
    layout: "none",
    left: SIDE + (frame[0] - across) / 2,
    top: TOP + (frame[1] - down) / 2,
    width: across,
    height: down,
  });
  fitted.series[0].data.forEach((node, number) => {
    node.x = ((at[number][0] - least[0]) / spans[0]) * across;
    node.y = ((at[number][1] - least[1]) / spans[1]) * down;
  });
  made.setOption(fitted, true);
}

place.hidden = false;
const made = echarts.init(place);
draw();
made.on("click", (one) => {
  if (one.data.link) location.href = one.data.link;
});
new ResizeObserver(() => {
  if (made.getWidth() === place.clientWidth && made.getHeight() === place.clientHeight) return;
  made.resize();
  draw();
}).observe(place);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);

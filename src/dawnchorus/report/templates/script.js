"use strict";
(function () {
  document.documentElement.classList.add("js");
  const plain = (text) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, "").toLowerCase();

  for (const table of document.querySelectorAll("table[data-first]")) {
    const body = table.tBodies[0];
    const rows = Array.from(body.rows);
    const texts = new Map(rows.map((row) => [row, plain(row.textContent)]));
    const tools = document.querySelector(`[data-for="${table.id}"]`);
    const more = document.querySelector(`[data-more="${table.id}"]`);
    const first = Number(table.dataset.first);
    let all = rows.length <= first;

    const show = () => {
      const words = plain(tools ? tools.querySelector("input").value : "").split(/\s+/).filter(Boolean);
      const choices = tools ? Array.from(tools.querySelectorAll("select")).filter((s) => s.value) : [];
      const wanted = (row) =>
        words.every((word) => texts.get(row).includes(word)) &&
        choices.every((s) => JSON.parse(row.dataset[s.dataset.key] || "[]").includes(s.value));
      const found = Array.from(body.rows).filter(wanted);
      const shown = new Set(all || words.length || choices.length ? found : found.slice(0, first));
      for (const row of body.rows) row.hidden = !shown.has(row);
      if (tools) tools.querySelector("output").textContent = `${shown.size} of ${rows.length} shown`;
      if (more) more.hidden = shown.size === found.length;
    };

    const key = (row, column) => {
      const cell = row.cells[column];
      return "value" in cell.dataset ? Number(cell.dataset.value) : plain(cell.textContent.trim());
    };
    const compare = (a, b) => {
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
      return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b), undefined, { numeric: true });
    };
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      if (head.hasAttribute("data-fixed")) return;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const numbers = rows.some((row) => "value" in row.cells[column].dataset);
        const now = head.getAttribute("aria-sort");
        const down = now ? now === "ascending" : numbers;
        for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const keyed = rows.map((row) => [key(row, column), row]);
        keyed.sort((x, y) => {
          const gone = [x, y].map(([k]) => Number.isNaN(k));
          return gone[0] || gone[1] ? compare(x[0], y[0]) : (down ? -1 : 1) * compare(x[0], y[0]);
        });
        body.append(...keyed.map(([, row]) => row));
        show();
      });
    });
    if (tools) for (const field of tools.querySelectorAll("input, select")) field.addEventListener("input", show);
    if (more) more.addEventListener("click", () => {
      all = true;
      show();
      table.closest(".scroll").focus({ preventScroll: true });
    });
    show();
  }
})();

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The pages in a real browser, headless and without a network: plots are there, sorting sorts."""
import html
import json
import re
import shutil
import subprocess

import support
from support import CASES, SWEEP, ScriptTest

CHROMIUM = shutil.which("chromium")
# what a page looks like to its reader: written into the document's end when it has loaded
PROBE = """<script>window.addEventListener("load", () => {
  const box = e => { const r = e.getBoundingClientRect(); return [r.left + scrollX, r.top + scrollY, r.width, r.height].map(Math.round); };
  const seen = {images: Array.from(document.images).map(i => ({alt: i.alt, width: i.naturalWidth, box: box(i)})),
                fetched: performance.getEntriesByType("resource").map(r => r.name).filter(n => !n.startsWith("data:")),
                bars: Array.from(document.querySelectorAll(".bar i")).map(b => [b.getBoundingClientRect().width, getComputedStyle(b).backgroundColor])};
  (PROGRAM)(seen);
  const out = document.createElement("pre"); out.id = "probe"; out.textContent = JSON.stringify(seen); document.body.appendChild(out);
});</script>"""


class Pages(ScriptTest):
    def chromium(self, page, *arguments):
        command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
                   "--host-resolver-rules=MAP * ~NOTFOUND", f"--user-data-dir={self.folder}/browser", "--window-size=1400,8000", *arguments, page.as_uri()]
        r = subprocess.run(command, capture_output=True, text=True, timeout=180, errors="replace")
        self.assertEqual(r.returncode, 0, r.stderr)
        return r.stdout

    def open(self, page, program="seen => {}"):
        """(what the probe saw, the picture as rows of RGB)."""
        if not CHROMIUM:
            self.skipTest("chromium is not installed: scripts/setup installs it")
        from matplotlib import image
        text = page.read_text()
        self.assertNotRegex(re.sub(r"base64,[A-Za-z0-9+/=]+", "", text), r"(?i)(src|href)=\"(?!data:|#)|https?://|@import|url\(")
        probed = page.with_name("probed.html")
        probed.write_text(text.replace("</body>", PROBE.replace("PROGRAM", program) + "</body>"))
        found = re.search(r'<pre id="probe">(.*?)</pre>', self.chromium(probed, "--dump-dom"), re.S)
        self.assertTrue(found, "the page's scripts did not run")
        self.chromium(page, f"--screenshot={self.folder}/shot.png")
        seen = json.loads(html.unescape(found[1]))
        self.assertEqual(seen["fetched"], [])
        return seen, image.imread(self.folder / "shot.png")[:, :, :3]

    def test_the_report_of_a_sweep(self):
        self.write("s.toml", SWEEP.replace("vadd", "reduction"))
        self.sweep("s.toml", "--out", "o")
        seen, picture = self.open(self.folder / "o/report.html", """seen => {
          const t = document.querySelector("table.sortable"), column = Array.from(t.tHead.rows[0].cells).findIndex(h => h.textContent.startsWith("time"));
          t.tHead.rows[0].cells[column].click();
          seen.sorted = Array.from(t.tBodies[0].rows).map(r => Number(r.cells[column].textContent)); }""")
        names = [i["alt"] for i in seen["images"]]
        self.assertIn("sensitivity of time", names)
        self.assertIn("time against l2_requests", names)
        for m in ("time", "issue_rate", "l1_hit_rate", "l2_hit_rate", "memory_bandwidth"):
            self.assertIn(f"{m} over each parameter", names)
            self.assertTrue(any(re.fullmatch(rf"{m} over \S+ and \S+", n) for n in names), m)
        for i in seen["images"]:  # decoded, and drawn: many colours, no broken-image box
            self.assertGreater(i["width"], 200, i)
            x, y, w, h = i["box"]
            part = picture[y:min(y + h, 7990), x:x + w]
            if part.size:
                colours = {tuple(c) for row in (part[::3, ::3] * 255).astype(int) for c in row}
                self.assertGreater(len(colours), 20, i["alt"])
                self.assertGreater((part.min(axis=2) < 0.6).mean(), 0.003, i["alt"])
        self.assertEqual(seen["sorted"], sorted(seen["sorted"]))
        self.assertEqual(len(seen["sorted"]), 36)
        plots = sorted(f.name for f in (self.folder / "o/plots").iterdir())
        self.assertEqual(len(plots), 2 * len(names))  # each as SVG and PNG
        for f in plots:
            head = (self.folder / "o/plots" / f).read_bytes()[:64]
            self.assertTrue(head.startswith(b"\x89PNG") if f.endswith("png") else head.startswith(b"<?xml"), f)

    def test_a_profile(self):
        subprocess.run([support.LYRA, "run", CASES / "ocl/mm_lds/job.toml", "--machine", "cu", "--quiet", "--profile=p.html"], cwd=self.folder, check=True)
        seen, picture = self.open(self.folder / "p.html", """seen => {
          const t = document.querySelector("table.profile"), rows = () => Array.from(t.tBodies[0].rows).filter(r => !r.hidden);
          const offsets = () => rows().map(r => r.cells[8].textContent), before = offsets();
          t.tHead.rows[0].cells[0].click();
          seen.shares = rows().map(r => Number(r.cells[0].dataset.v));
          t.tHead.rows[0].cells[8].click();
          seen.back = JSON.stringify(before) === JSON.stringify(offsets()); seen.heat = getComputedStyle(t.tBodies[0].rows[0].cells[0]).backgroundColor; }""")
        self.assertEqual(seen["shares"], sorted(seen["shares"], reverse=True))
        self.assertGreater(len(seen["shares"]), 50)
        self.assertTrue(seen["back"])
        wide = [b for b in seen["bars"] if b[0] >= 1]
        self.assertGreater(len(wide), 20)
        self.assertGreater(len({b[1] for b in wide}), 5)  # causes have colours of their own
        self.assertIn("226, 88, 34", seen["heat"])
        self.assertGreater(((picture.max(axis=2) - picture.min(axis=2)) > 0.25).mean(), 0.001)


if __name__ == "__main__":
    support.main()

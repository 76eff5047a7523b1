"""The number of bytes that a browser must load."""

import gzip
import json
import pathlib
import unittest

DIST = pathlib.Path(__file__).resolve().parent.parent.parent / "web/dist"
MOST = 150_000


class Size(unittest.TestCase):
    def setUp(self):
        self.files = json.loads((DIST / "files.json").read_text())

    def sizes(self):
        """The compressed size of each script."""
        return {file["path"]: self.sent(file["path"]).stat().st_size for file in self.files if "javascript" in file["type"]}

    def sent(self, path):
        """The file that the server sends: the smallest ones have no compressed form."""
        compressed = DIST / (path + ".gz")
        return compressed if compressed.exists() else DIST / path

    def test_all_scripts_of_the_first_view_together(self):
        """Those that the page names; the other views, the second language and the highlighter are loaded when they are needed."""
        page = (DIST / "index.html").read_text()
        sizes = {path: size for path, size in self.sizes().items() if path in page}
        self.assertLessEqual(sum(sizes.values()), MOST, sizes)
        self.assertGreater(sum(sizes.values()), MOST / 5, "this is not the app")

    def test_the_highlighter_is_apart(self):
        apart = {path: size for path, size in self.sizes().items() if "highlighter" in path}
        self.assertEqual(len(apart), 1, apart)
        self.assertLessEqual(sum(apart.values()), MOST / 3)
        self.assertNotIn("highlighter", (DIST / "index.html").read_text())
        self.assertNotIn(next(iter(apart)), (DIST / "sw.js").read_text())

    def test_compressed_files_are_the_files(self):
        for file in self.files:
            compressed = DIST / (file["path"] + ".gz")
            if compressed.exists():
                self.assertEqual(gzip.decompress(compressed.read_bytes()), (DIST / file["path"]).read_bytes(), file)

    def test_nothing_is_loaded_from_elsewhere_and_nothing_is_inline(self):
        for page in ("index.html", "pair.html", "swagger.html"):
            text = (DIST / page).read_text()
            for wrong in ("http:", "https:", "<style", " style=", "onclick", "<script>"):
                self.assertNotIn(wrong, text)


if __name__ == "__main__":
    unittest.main()

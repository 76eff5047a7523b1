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

    def test_all_scripts_together(self):
        sizes = {}
        for file in self.files:
            if "javascript" in file["type"]:
                path = DIST / (file["path"] + ".gz")
                sizes[file["path"]] = path.stat().st_size
        self.assertLessEqual(sum(sizes.values()), MOST, sizes)
        self.assertGreater(sum(sizes.values()), MOST / 5, "this is not the app")

    def test_compressed_files_are_the_files(self):
        for file in self.files:
            compressed = DIST / (file["path"] + ".gz")
            if compressed.exists():
                self.assertEqual(gzip.decompress(compressed.read_bytes()), (DIST / file["path"]).read_bytes(), file)

    def test_nothing_is_loaded_from_elsewhere_and_nothing_is_inline(self):
        for page in ("index.html", "pair.html"):
            text = (DIST / page).read_text()
            for wrong in ("http:", "https:", "<style", " style=", "onclick", "<script>"):
                self.assertNotIn(wrong, text)


if __name__ == "__main__":
    unittest.main()

"""Office documents with a program inside, with what they fetch when opened, under honest and other names."""

import zipfile

PARTS = {
    "macros.xlsm": "xl/vbaProject.bin", "hidden.xlsx": "xl/vbaProject.bin", "links.xlsx": "xl/externalLinks/externalLink1.xml",
    "objects.docx": "word/embeddings/oleObject1.bin", "control.pptx": "ppt/activeX/activeX1.bin", "ribbon.xlsx": "customUI/customUI.xml",
}  # fmt: skip
for name, part in PARTS.items():
    with zipfile.ZipFile(name, "w") as document:
        document.writestr("[Content_Types].xml", "<Types/>")
        document.writestr(part, b"x")

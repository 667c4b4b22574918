// The functions of a user's desktop, as a module for `cairn workflow run --functions`.
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Packs files into a ZIP archive without compression. */
function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const [path, data] = [Buffer.from(name), Buffer.from(text)];
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt32LE(crc32(data), 10);
    fields.writeUInt32LE(data.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), fields, path, data]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\u0001\u0002\u0014\u0000'), fields, rest, path);
    parts.push(local);
    offset += local.length;
  }
  const entries = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(entries.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, entries, Buffer.from('PK\u0005\u0006'), end]);
}

const escape = (value) => String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const head = '<?xml version="1.0" encoding="UTF-8"?>';
const office = 'http://schemas.openxmlformats.org';

function workbook(rows) {
  const cell = (value) => `<c t="inlineStr"><is><t>${escape(value)}</t></is></c>`;
  const sheet = rows.map((row) => `<row>${row.map(cell).join('')}</row>`).join('');
  const relation = (id, type, target) =>
    `<Relationship Id="${id}" Type="${office}/officeDocument/2006/relationships/${type}" Target="${target}"/>`;
  const relations = (text) =>
    `${head}<Relationships xmlns="${office}/package/2006/relationships">${text}</Relationships>`;
  const type = (name) => `application/vnd.openxmlformats-officedocument.spreadsheetml.${name}+xml`;
  return zip({
    '[Content_Types].xml': `${head}<Types xmlns="${office}/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${type('sheet.main')}"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${type('worksheet')}"/></Types>`,
    '_rels/.rels': relations(relation('rId1', 'officeDocument', 'xl/workbook.xml')),
    'xl/workbook.xml': `${head}<workbook xmlns="${office}/spreadsheetml/2006/main" xmlns:r="${office}/officeDocument/2006/relationships"><sheets><sheet name="1" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(relation('rId1', 'worksheet', 'worksheets/sheet1.xml')),
    'xl/worksheets/sheet1.xml': `${head}<worksheet xmlns="${office}/spreadsheetml/2006/main"><sheetData>${sheet}</sheetData></worksheet>`,
  });
}

export default [
  {
    name: 'create_excel_document',
    description: '创建Excel文件',
    parameters: { filename: '文件名', data: '数据：对象的数组，键是表头' },
    aliases: ['生成Excel'],
    async execute({ filename, data }, { root }) {
      const header = Object.keys(data[0]);
      writeFileSync(join(root, filename), workbook([header, ...data.map((row) => header.map((key) => row[key]))]));
      appendFileSync(join(root, 'calls.txt'), `${filename}\n`);
      // A test that kills the process in the middle of the call puts this file there.
      if (existsSync(join(root, 'hang'))) await new Promise((resolve) => setTimeout(resolve, 3_600_000));
      return `${filename}: ${data.length} x ${header.length}`;
    },
  },
];

import Foundation
import LMDB

@testable import RecordStore
@testable import StoreInspection

extension Harness {
  /// A dump, line by line, and what its values become.
  static let dump = Harness(
    "dump", maximumByteCount: 16_384, errors: [InspectionError.self, StoreError.self]
  ) { bytes in
    let pipe = Pipe()
    // Less than a pipe holds, so that nothing waits for a reader.
    try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
    try pipe.fileHandleForWriting.close()
    var reader = try DumpReader(LineReader(pipe.fileHandleForReading))
    let catalogue = reader.header?.catalogue ?? Catalogue()
    if let header = reader.header {
      try promise(try DumpHeader(json: header.json()) == header, "a schema line that was read again is another")
      _ = try CatalogueTable.encode(catalogue).withRawBytes { bytes throws in try CatalogueTable.decode(bytes) }
    }
    while let (line, number) = try reader.next() { try DumpHarness.check(line, number, catalogue) }
  }
}

private enum DumpHarness {
  static func check(_ line: DumpReader.Line, _ number: Int, _ catalogue: Catalogue) throws {
    switch line {
    case .alias(let alias):
      try promise(try AliasLine(json: alias.json, line: number) == alias, "an alias that was read again is another")
    case .once(let once):
      try promise(try OnceLine(json: once.json, line: number) == once, "a once key that was read again is another")
    case .context(let context):
      try promise(
        try ContextLine(json: context.json, line: number) == context, "a context that was read again is another")
    case .past(let past):
      let write = try past.write(in: catalogue, line: number)
      try promise(
        try PastLine(write, in: catalogue).write(in: catalogue, line: number).write.value.isIdentical(
          to: write.write.value), "a past value that was read again is another")
    case .record(let record), .written(let record):
      guard catalogue.entity(named: record.entity) != nil else { return }
      try check(try record.facts(in: catalogue, line: number), number, catalogue)
    }
  }

  private static func check(_ facts: RecordFacts, _ number: Int, _ catalogue: Catalogue) throws {
    let entity = catalogue.entities[facts.entity]
    let stored = try RecordEncoding(facts, fieldCount: entity.fields.count).bytes()
    let decoded = try stored.withRawBytes { bytes throws in
      try RecordFacts(decoding: bytes, id: facts.id, entity: entity)
    }
    let line = RecordLine(decoded, entity: entity, isVisible: true)
    let again = try RecordLine(json: line.json, line: number).facts(in: catalogue, line: number)
    try promise(
      try RecordEncoding(again, fieldCount: entity.fields.count).bytes() == stored,
      "a record that was dumped and read again is another")
  }
}

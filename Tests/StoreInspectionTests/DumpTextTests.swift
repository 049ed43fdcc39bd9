import Foundation
import RecordStore
import StoreInspection
import Testing

struct DumpTextTests {
  private let replica = ReplicaID(0xABC)
  private let entity = CatalogueEntity(
    number: 0, name: "Item",
    fields: [
      CatalogueField(ordinal: 0, name: "title", type: .string, isOptional: false),
      CatalogueField(ordinal: 1, name: "price", type: .decimal, isOptional: true),
    ])
  private var catalogue: Catalogue { Catalogue(generation: 3, entities: [entity]) }

  private func stamp(_ time: UInt64) -> Stamp {
    Stamp(epoch: 1, wallMilliseconds: time, counter: 2, replica: replica)
  }

  @Test func `a stamp comes back from its text`() {
    let stamp = Stamp(epoch: .max, wallMilliseconds: Stamp.maximumWallMilliseconds, counter: .max, replica: replica)
    #expect(stamp.text == "65535-281474976710655-65535-0000000000000abc")
    #expect(Stamp(text: stamp.text) == stamp)
  }

  @Test(arguments: ["", "1-2-3", "1-2-3-4", "65536-0-0-0000000000000abc", "0-281474976710656-0-0000000000000abc"])
  func `what is no stamp is refused`(text: String) {
    #expect(Stamp(text: text) == nil)
  }

  @Test func `a record's facts come back from its line, tombstone and stamps included`() throws {
    let facts = RecordFacts(
      entity: 0, id: RecordID(high: 1, low: 2), isInserted: true, touch: stamp(5), deleted: stamp(9),
      registers: [
        .init(ordinal: 0, value: .string("bread"), stamp: stamp(5)), .init(ordinal: 1, value: .null, stamp: stamp(4)),
      ])
    let line = RecordLine(facts, entity: entity, isVisible: false).json.description
    let again = try RecordLine(json: JSON(parsing: line), line: 7)
    #expect(try again.facts(in: catalogue, line: 7) == facts)
    #expect(!again.isVisible)
  }

  @Test func `a record whose fields share the touch stamp is written without a list of stamps`() {
    let facts = RecordFacts(
      entity: 0, id: RecordID(high: 1, low: 2), isInserted: true, touch: stamp(5),
      registers: [.init(ordinal: 0, value: .string("bread"), stamp: stamp(5))])
    let expected = """
      {"entity":"Item","id":"00000000000000010000000000000002","touch":"1-5-2-0000000000000abc",\
      "fields":{"title":"bread"}}
      """
    #expect(RecordLine(facts, entity: entity, isVisible: true).json.description == expected)
  }

  @Test(arguments: [
    (#"{"fields":{}}"#, "line 4 names no entity"),
    (#"{"entity":"Item"}"#, "line 4 has no object 'fields'"),
    (#"{"entity":"Item","id":"12","fields":{}}"#, "line 4 has an id that is not 32 hexadecimal digits"),
    (#"{"entity":"Item","touch":"x","fields":{}}"#, "line 4 has no stamp in 'touch'"),
    (#"{"entity":"Thing","fields":{}}"#, "line 4 names the entity 'Thing', which the store does not have"),
    (#"{"entity":"Item","fields":{"titel":"x"}}"#, "line 4 names the field 'titel', which 'Item' does not have"),
    (#"{"entity":"Item","fields":{"title":1}}"#, "line 4 has a value for 'title' that is no string"),
    (#"{"entity":"Item","fields":{"title":"a","title":"b"}}"#, "line 4 has two values for 'title'"),
  ])
  func `a wrong line is named with its number and its trouble`(text: String, message: String) throws {
    let error = #expect(throws: InspectionError.self) {
      let line = try RecordLine(json: JSON(parsing: text), line: 4)
      let entity = try line.entity(in: catalogue, line: 4)
      _ = try line.writes(to: entity, line: 4)
    }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }

  @Test func `the schema line carries the whole catalogue and the version vector`() throws {
    var catalogue = catalogue
    catalogue.entities[0].fields[1].defaultValue = .decimal(Decimal(string: "0.10")!)
    let header = DumpHeader(
      storeID: RecordID(high: 3, low: 4), replica: replica,
      vector: VersionVector(entries: [replica: .init(sequence: 12, stamp: stamp(5))]), catalogue: catalogue)
    #expect(try DumpHeader(json: JSON(parsing: header.json().description)) == header)
  }

  @Test func `a dump of a newer format is refused with the remedy`() throws {
    let error = #expect(throws: InspectionError.self) { try DumpHeader(json: ["tandemDump": .integer(4)]) }
    #expect(error?.code == .newerDump)
    #expect(error?.message == "the dump has format 4, this build reads up to 3; update tandem")
  }

  @Test func `lines are read across chunks, with either line end and without the last one`() throws {
    let long = String(repeating: "x", count: 600_000)
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("a\r\n\n\(long)\nlast".utf8).write(to: file)
    defer { unlink(file.path) }
    let reader = LineReader(try FileHandle(forReadingFrom: file))
    var lines: [String] = []
    while let line = try reader.next() { lines.append(line) }
    #expect(lines == ["a", "", long, "last"])
    #expect(reader.lineNumber == 4)
  }
}

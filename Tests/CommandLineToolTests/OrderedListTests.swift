import Foundation
import RecordStore
import StoreInspection
import Testing

/// Lists that have an order of their own, as commands show, edit and load them.
struct OrderedListTests {
  private let tandem = Tandem()

  private static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Album",
      attributes: [
        AttributeDefinition(name: "name", type: .string)
      ],
      relationships: [
        RelationshipDefinition(name: "songs", destination: "Song", isToMany: true, inverse: "album"),
        RelationshipDefinition(name: "tags", destination: "Tag", isToMany: true, inverse: "albums"),
        RelationshipDefinition(name: "sleeve", destination: "Sleeve", inverse: "album"),
      ], uniquenessConstraints: [["name"]]),
    EntityDefinition(
      name: "Song",
      attributes: [
        AttributeDefinition(name: "title", type: .string),
        AttributeDefinition(name: "Album.songs.order", type: .string, isOptional: true),
      ],
      relationships: [RelationshipDefinition(name: "album", destination: "Album", inverse: "songs")],
      uniquenessConstraints: [["title"]]),
    EntityDefinition(
      name: "Tag", attributes: [AttributeDefinition(name: "label", type: .string)],
      relationships: [RelationshipDefinition(name: "albums", destination: "Album", isToMany: true, inverse: "tags")]),
    EntityDefinition(
      name: "Sleeve", attributes: [AttributeDefinition(name: "label", type: .string)],
      relationships: [RelationshipDefinition(name: "album", destination: "Album", inverse: "sleeve")]),
  ])

  private static let first = RecordID(high: 1, low: 1)
  private static let second = RecordID(high: 1, low: 2)
  private static let red = RecordID(high: 3, low: 1)
  private static func song(_ number: Int) -> RecordID { RecordID(high: 2, low: UInt64(number)) }
  private static func sleeve(_ number: Int) -> RecordID { RecordID(high: 4, low: UInt64(number)) }

  /// Two albums, a tag, the songs `1` to `4`: 3, 1, 2 on the first album, 4 on the second.
  private func withStore(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-lists-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let url = folder.appendingPathComponent("music.store")
    do {
      _ = try RecordStore.open(StoreConfiguration(url: url, durability: .unsafeNoFlush), schema: Self.schema)
    }
    let songs = (1...4).map { #"{"@entity":"Song","@id":"\#(Self.song($0))","title":"\#($0)"}"# }
    let sleeves = (1...2).map { #"{"@entity":"Sleeve","@id":"\#(Self.sleeve($0))","label":"\#($0)"}"# }
    let lines =
      [
        #"{"@entity":"Album","@id":"\#(Self.first)","name":"first","songs":\#(Self.list(3, 1, 2))}"#,
        #"{"@entity":"Album","@id":"\#(Self.second)","name":"second","songs":\#(Self.list(4))}"#,
        #"{"@entity":"Tag","@id":"\#(Self.red)","label":"red"}"#,
      ] + songs + sleeves
    let outcome = try tandem.run("load", url.path, "--into", input: lines.joined(separator: "\n"))
    #expect(outcome.output == "9 inserted, 0 updated, 0 unchanged\n", "\(outcome)")
    try body(url.path)
    let store = try RecordStore.open(StoreConfiguration(url: url, createsIfMissing: false))
    #expect(try store.integrityViolations() == [])
  }

  private static func list(_ numbers: Int...) -> String {
    "[" + numbers.map { "\"\(song($0))\"" }.joined(separator: ",") + "]"
  }

  private func songs(_ path: String, of name: String = "first") throws -> String {
    let outcome = try tandem.run("query", path, "Album", "--where", "name = '\(name)'", "--fields", "songs", "--json")
    return try JSON(parsing: outcome.lines.first ?? "null")["songs"]?.description ?? "\(outcome)"
  }

  private func load(_ path: String, _ lines: String...) throws -> String {
    let outcome = try tandem.run("load", path, "--into", input: lines.joined(separator: "\n"))
    return outcome.output + outcome.trouble
  }

  @Test func `a list is listed, exported and shown in its order`() throws {
    try withStore { path throws in
      #expect(try songs(path) == Self.list(3, 1, 2))
      let shown = try tandem.run("query", path, "Album", "--where", "name = 'first'", "--fields", "songs", "--tsv")
      #expect(shown.lines == ["songs", [3, 1, 2].map { "\(Self.song($0))" }.joined(separator: " ")], "\(shown)")
    }
  }

  @Test func `an edit that only puts a list into another order is one`() throws {
    try withStore { path throws in
      let edited = try tandem.run("edit", path, Self.first.description, "songs=2,1,3")
      #expect(edited.status == 0 && !edited.output.contains("nothing"), "\(edited)")
      #expect(try songs(path) == Self.list(2, 1, 3))
      let again = try tandem.run("edit", path, Self.first.description, "songs=2,1,3")
      #expect(again.output.contains("nothing to change"), "\(again)")
      #expect(try tandem.run("edit", path, Self.first.description, "songs=4,2,3").status == 0)
      #expect(try songs(path) == Self.list(4, 2, 3))
    }
  }

  @Test func `a record that gets another list stands last there`() throws {
    try withStore { path throws in
      #expect(try tandem.run("edit", path, Self.song(3).description, "album=second").status == 0)
      #expect(try songs(path, of: "second") == Self.list(4, 3))
      #expect(try tandem.run("insert", path, "Song", "title=5", "album=\(Self.second)").status == 0)
      #expect(try tandem.run("edit", path, Self.song(1).description, "album=\(Self.second)").status == 0)
      let list = try JSON(parsing: songs(path, of: "second")).arrayValue?.compactMap(\.stringValue) ?? []
      #expect(list.count == 4 && list.last == Self.song(1).description, "\(list)")
      #expect(
        try load(path, #"{"@entity":"Song","@id":"\#(Self.song(2))","album":"\#(Self.second)"}"#).contains("1 updated"))
      #expect(try JSON(parsing: songs(path, of: "second")).arrayValue?.last == .string(Self.song(2).description))
    }
  }

  @Test func `an inserted list has the order in which it is given`() throws {
    try withStore { path throws in
      #expect(try tandem.run("insert", path, "Album", "name=third", "songs=4,3,1").status == 0)
      #expect(try songs(path, of: "third") == Self.list(4, 3, 1))
      #expect(try songs(path) == Self.list(2))
    }
  }

  @Test func `a line that only puts a list into another order changes it, once`() throws {
    try withStore { path throws in
      let line = #"{"@entity":"Album","@id":"\#(Self.first)","songs":\#(Self.list(1, 2, 3))}"#
      #expect(try load(path, line) == "0 inserted, 1 updated, 0 unchanged\n")
      #expect(try songs(path) == Self.list(1, 2, 3))
      #expect(try load(path, line) == "0 inserted, 0 updated, 1 unchanged\n")
    }
  }

  @Test func `a list's order goes before the positions that its members' own lines have`() throws {
    try withStore { path throws in
      let members = try tandem.run("query", path, "Song", "--json").lines
      let line = #"{"@entity":"Album","@id":"\#(Self.first)","songs":\#(Self.list(2, 3, 1))}"#
      for _ in 1...2 {
        _ = try load(path, (members + [line]).joined(separator: "\n"))
        #expect(try songs(path) == Self.list(2, 3, 1))
      }
    }
  }

  @Test func `what query prints of lists and their members loads into a store without them`() throws {
    try withStore { path throws in
      let lines = try ["Album", "Song"].flatMap { try tandem.run("query", path, $0, "--json").lines }
      let kept = lines.filter { !$0.contains("\"@entity\":\"Tag\"") }.joined(separator: "\n")
      let copy = URL(fileURLWithPath: path).deletingLastPathComponent().appendingPathComponent("copy.store")
      do { _ = try RecordStore.open(StoreConfiguration(url: copy), schema: Self.schema) }
      #expect(try load(copy.path, kept) == "6 inserted, 0 updated, 0 unchanged\n")
      #expect(try songs(copy.path) == Self.list(3, 1, 2))
      #expect(try load(copy.path, kept) == "0 inserted, 0 updated, 6 unchanged\n")
    }
  }

  /// Each run took the record from the list that had it, and the next one took it back.
  @Test func `lines that contradict each other are refused whatever the store has`() throws {
    let words = "links a record in another way than line"
    func album(_ id: RecordID, _ rest: String) -> String { #"{"@entity":"Album","@id":"\#(id)",\#(rest)}"# }
    let song = #"{"@entity":"Song","@id":"\#(Self.song(3))","album":"\#(Self.second)"}"#
    let tag = #"{"@entity":"Tag","@id":"\#(Self.red)","albums":["\#(Self.first)"]}"#
    let sleeves = (1...2).map { #"{"@entity":"Sleeve","@id":"\#(Self.sleeve($0))","album":"\#(Self.first)"}"# }
    try withStore { path throws in
      #expect(try tandem.run("edit", path, Self.sleeve(1).description, "album=first").status == 0)
      for lines in [
        [album(Self.first, #""songs":\#(Self.list(3, 1))"#), album(Self.second, #""songs":\#(Self.list(3))"#)],
        [album(Self.first, #""songs":\#(Self.list(3, 1))"#), song],
        [album(Self.first, #""tags":[]"#), tag], [tag, album(Self.first, #""tags":[]"#)],
        [tag, album(Self.second, #""tags":["\#(Self.red)"]"#)], sleeves,
        [sleeves[1], album(Self.first, #""sleeve":"\#(Self.sleeve(1))""#)],
      ] {
        let outcome = try tandem.run("load", path, "--into", input: lines.joined(separator: "\n"))
        #expect(outcome.status == 2 && outcome.trouble.contains(words), "\(lines) \(outcome)")
        #expect(outcome.trouble.hasSuffix("correct one of the two, nothing was loaded\n"), "\(outcome)")
      }
    }
  }

  @Test func `the own line of a record says where it is when a list leaves it out`() throws {
    try withStore { path throws in
      let lines = [
        #"{"@entity":"Album","@id":"\#(Self.first)","songs":\#(Self.list(1, 2))}"#,
        #"{"@entity":"Song","@id":"\#(Self.song(3))","album":"\#(Self.first)"}"#,
      ]
      for _ in 1...2 {
        #expect(try load(path, lines.joined(separator: "\n")) == "0 inserted, 0 updated, 2 unchanged\n")
        #expect(try songs(path) == Self.list(3, 1, 2))
      }
    }
  }
}

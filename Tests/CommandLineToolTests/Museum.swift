import Foundation
import RecordStore
import StoreInspection
import Testing

/// Two stores of one schema, one full and one empty: every type of value and every kind of relationship.
struct Museum {
  let folder: URL

  func path(_ name: String) -> String { folder.appendingPathComponent("\(name).store").path }

  /// As the models of a hierarchy would declare it: the subclass's properties are sparse.
  static let schema = StoreSchema(entities: [
    EntityDefinition(
      name: "Exhibit",
      attributes: [
        AttributeDefinition(name: ".class", type: .string, isOptional: true, isSparse: true),
        AttributeDefinition(
          name: "Painting.height", type: .double, isOptional: true, defaultValue: .double(0), isSparse: true),
        AttributeDefinition(name: "Hall.exhibits.order", type: .string, isOptional: true),
      ]
        + FieldType.allCases.filter { $0 != .reference }.flatMap { type in
          [
            AttributeDefinition(name: "\(type)", type: type),
            AttributeDefinition(name: "some \(type)", type: type, isOptional: true),
          ]
        },
      relationships: [
        RelationshipDefinition(name: "hall", destination: "Hall", isOptional: false, inverse: "exhibits"),
        RelationshipDefinition(name: "label", destination: "Label", inverse: "exhibit"),
        RelationshipDefinition(name: "tags", destination: "Tag", isToMany: true, inverse: "exhibits"),
        RelationshipDefinition(name: "original", destination: "Exhibit", inverse: "copies"),
        RelationshipDefinition(name: "copies", destination: "Exhibit", isToMany: true, inverse: "original"),
        RelationshipDefinition(name: "donor", destination: "Tag"),
      ]),
    EntityDefinition(
      name: "Hall", attributes: [AttributeDefinition(name: "name", type: .string)],
      relationships: [
        RelationshipDefinition(
          name: "exhibits", destination: "Exhibit", isToMany: true, deleteRule: .cascade, inverse: "hall"),
        // Without an inverse: the store keeps it in a field of the other side that no query shows.
        RelationshipDefinition(name: "neighbours", destination: "Hall", isToMany: true),
      ], uniquenessConstraints: [["name"]]),
    EntityDefinition(
      name: "Label", attributes: [AttributeDefinition(name: "text", type: .string)],
      relationships: [RelationshipDefinition(name: "exhibit", destination: "Exhibit", inverse: "label")]),
    EntityDefinition(
      name: "Tag", attributes: [AttributeDefinition(name: "written", type: .string)],
      relationships: [
        RelationshipDefinition(name: "exhibits", destination: "Exhibit", isToMany: true, inverse: "tags")
      ]),
  ])

  private static let texts = [
    "", "a\u{0}b", "line\nend\r\u{2028}\u{2029}\u{85}", "\"quoted\" \\ /", "\u{202E}right to left", "e\u{301} é 😀 漢",
    "<script>alert(1)</script>", "'; --", "{\"@entity\":\"Hall\"}", "inf", "null",
  ]
  private static let dates: [Double] = [
    0, -0.0, 0.1, 1.0 / 3, -1.0 / 3, 1e-300, -1e-300, 816_942_600.123_456_7, -0.000_000_1, 1.000_000_000_000_000_2,
    Date.distantPast.timeIntervalSinceReferenceDate, Date.distantFuture.timeIntervalSinceReferenceDate, 1e300, -1e18,
    .infinity, -.infinity, .nan,
  ]
  private static let doubles: [Double] = [
    0, -0.0, 0.1, .greatestFiniteMagnitude, .leastNonzeroMagnitude, .infinity, -.infinity, .nan,
  ]
  private static let composites = [
    #"{"a":[1,2.5,-1e-07,true,null],"b":{"c":"é\u0001\n/\"\\"}}"#, #""text""#, "[]", "12", "null", "", "no JSON",
    #"{"b":1,"a":2}"#, #"{"@base64":"AAA="}"#,
  ]
  static let recordCount = dates.count + 2 + 2 + 2

  private static func id(_ kind: UInt64, _ place: Int) -> RecordID { RecordID(high: kind, low: UInt64(place + 1)) }

  private static func values(_ place: Int) -> [String: FieldValue] {
    let text = texts[place % texts.count]
    return [
      "bool": .bool(place.isMultiple(of: 2)), "int": .int([.min, 0, .max][place % 3]),
      "uint": .uint([.max, 0][place % 2]), "double": .double(doubles[place % doubles.count]),
      "decimal": .decimal(
        [Decimal(string: "-12345678901234567890.123456789")!, Decimal(string: "1e-127")!, .nan, 0][place % 4]),
      "string": .string(text), "date": .date(Date(timeIntervalSinceReferenceDate: dates[place])),
      "uuid": .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, UInt8(place)))),
      "data": .data(Data([UInt8(place), 0, 255].prefix(place % 4))), "url": .url("https://example.org/ä?x=\(place)#y"),
      "composite": .composite(Data(composites[place % composites.count].utf8)),
    ]
  }

  private static func fill(_ store: RecordStore) throws {
    let catalogue = try store.read { $0.catalogue }
    func insert(_ name: String, _ id: RecordID, _ values: [String: FieldValue]) throws -> RecordChange {
      let entity = try #require(catalogue.entity(named: name))
      let fields = try values.map { FieldWrite(try #require(entity.field(named: $0), "\($0)").ordinal, $1) }
      return .insert(entity: entity.number, id: id, fields: fields)
    }
    let exhibit = try #require(catalogue.entity(named: "Exhibit"))
    var changes: [RecordChange] = []
    for place in dates.indices {
      var fields = values(place)
      if place.isMultiple(of: 2) {
        for (name, value) in fields { fields["some \(name)"] = value }
        fields[".class"] = .string("Painting")
        fields["Painting.height"] = .double(Double(place + 1))
      }
      fields["Hall.exhibits.order"] = .string("a\(place)")
      fields["hall"] = .reference(id(2, place % 2))
      if place < 2 { fields["label"] = .reference(id(3, place)) }
      if place > 3 { fields["original"] = .reference(id(1, place % 4)) }
      if place.isMultiple(of: 3) { fields["donor"] = .reference(id(4, 0)) }
      changes.append(try insert("Exhibit", id(1, place), fields))
    }
    for place in 0..<2 {
      let text = FieldValue.string(texts[place])
      changes.append(
        try insert(
          "Hall", id(2, place),
          ["name": .string("hall \(place)"), "~Hall.neighbours": place == 0 ? .null : .reference(id(2, 0))]))
      changes.append(try insert("Label", id(3, place), ["text": text]))
      changes.append(try insert("Tag", id(4, place), ["written": text]))
    }
    for place in 0..<5 {
      changes.append(
        .link(
          entity: exhibit.number, id: id(1, place), relationship: "tags", other: id(4, place % 2), isLinked: true))
    }
    _ = try store.commit(SaveRequest(changes: changes))
  }

  /// A new folder with both stores in it, gone afterwards; the stores are checked before.
  static func with(_ body: (Museum) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tandem-museum-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let museum = Museum(folder: folder)
    for name in ["full", "empty"] {
      let configuration = StoreConfiguration(
        url: URL(fileURLWithPath: museum.path(name)), durability: .unsafeNoFlush)
      let store = try RecordStore.open(configuration, schema: schema)
      if name == "full" { try fill(store) }
    }
    try body(museum)
    for name in ["full", "empty"] { #expect(try museum.open(name).integrityViolations() == []) }
  }

  private func open(_ name: String) throws -> RecordStore {
    try RecordStore.open(
      StoreConfiguration(
        url: URL(fileURLWithPath: path(name)), createsIfMissing: false, durability: .unsafeNoFlush))
  }

  /// All that the records of a store hold, links and hidden fields included, without when it was written.
  func contents(of name: String) throws -> [String] {
    let lines = try Tandem().run("dump", path(name)).lines
    return try lines.dropFirst().dropLast().map { text in
      let json = try JSON(parsing: text)
      return "\(try #require(json["entity"])) \(try #require(json["id"])) \(try #require(json["fields"]))"
    }
  }
}

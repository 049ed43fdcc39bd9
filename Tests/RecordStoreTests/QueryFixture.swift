import Foundation
import LMDB
import RecordStore
import TestSupport

/// The schema and the records that all tests of queries share, with indexes and without.
///
/// ```
/// Person (0)    name age score price born active token blob team count site note boss
///   team -> Team.members · boss -> Person.reports · tags <-> Tag.people (join 4)
/// Employee (1)  a Person with its fields in another order, and a salary
/// Team (2)      title rank
/// Tag (3)       label
/// ```
struct QueryFixture {
  struct Record {
    let entity: EntityNumber
    let id: RecordID
    /// By ordinal; nil: never written.
    let values: [FieldValue?]
    let dangling: Set<Int>
  }

  static let personFields: [CatalogueField] = [
    field(0, "name", .string), field(1, "age", .int, isOptional: false), field(2, "score", .double),
    field(3, "price", .decimal), field(4, "born", .date),
    field(5, "active", .bool, isOptional: false, defaultValue: .bool(true)), field(6, "token", .uuid),
    field(7, "blob", .data), field(8, "team", .reference, destination: "Team"),
    field(9, "count", .uint, isOptional: false), field(10, "site", .url),
    field(11, "note", .string, isOptional: false, defaultValue: .string("none")),
    field(12, "boss", .reference, destination: "Person"),
  ]

  static let employeeFields: [CatalogueField] =
    (personFields.reversed() + [field(13, "salary", .int)]).enumerated().map { ordinal, field in
      var field = field
      field.ordinal = ordinal
      return field
    }

  static func field(
    _ ordinal: Int, _ name: String, _ type: FieldType, isOptional: Bool = true, defaultValue: FieldValue? = nil,
    destination: String? = nil
  ) -> CatalogueField {
    CatalogueField(
      ordinal: ordinal, name: name, type: type, isOptional: isOptional, defaultValue: defaultValue,
      destination: destination)
  }

  static let personIndexes: [(isUnique: Bool, components: [IndexDefinition.Component])] = [
    (false, [.init("name")]), (false, [.init("age"), .init("name", isDescending: true)]), (false, [.init("score")]),
    (false, [.init("price", isDescending: true)]), (true, [.init("token")]),
    (false, [.init("born", isDescending: true)]), (false, [.init("team")]), (false, [.init("boss")]),
    (false, [.init("active"), .init("count")]), (false, [.init("note"), .init("age")]),
    (false, [.init("note", isDescending: true)]), (false, [.init("blob")]),
    (false, [.init("site", isDescending: true), .init("active")]),
    (false, [.init("team"), .init("age", isDescending: true), .init("name", isDescending: true)]),
    (false, [.init("name", isForPeople: true), .init("count")]),
    (false, [.init("active"), .init("note", isDescending: true, isForPeople: true)]),
  ]

  static func catalogue(isIndexed: Bool) -> Catalogue {
    var number = 0
    func indexes(_ fields: [CatalogueField]) -> [CatalogueIndex] {
      guard isIndexed else { return [] }
      return personIndexes.map { index in
        let components = index.components.map { component in
          CatalogueIndex.Component(
            ordinal: fields.first { $0.name == component.field }!.ordinal, isDescending: component.isDescending,
            isForPeople: component.isForPeople)
        }
        number += 1
        return CatalogueIndex(number: number - 1, isUnique: index.isUnique, components: components)
      }
    }
    func joinIndexes() -> [CatalogueIndex] {
      guard isIndexed else { return [] }
      number += 2
      return [
        CatalogueIndex(number: number - 2, isUnique: true, components: [.init(ordinal: 0), .init(ordinal: 1)]),
        CatalogueIndex(number: number - 1, isUnique: false, components: [.init(ordinal: 1)]),
      ]
    }
    func link(_ name: String, _ destination: String, _ isToMany: Bool, _ storage: CatalogueRelationship.Storage)
      -> CatalogueRelationship
    {
      CatalogueRelationship(
        name: name, destination: destination, isToMany: isToMany, isOptional: true, deleteRule: .nullify, inverse: nil,
        storage: storage)
    }
    let personLinks = [
      link("team", "Team", false, .reference(ordinal: 8)), link("boss", "Person", false, .reference(ordinal: 12)),
      link("reports", "Person", true, .inverse(entity: 0, ordinal: 12)),
      link("tags", "Tag", true, .join(entity: 4, near: 0, far: 1)),
    ]
    return Catalogue(entities: [
      CatalogueEntity(
        number: 0, name: "Person", fields: personFields, relationships: personLinks, indexes: indexes(personFields)),
      CatalogueEntity(
        number: 1, name: "Employee", superentity: "Person", fields: employeeFields,
        relationships: [
          link("team", "Team", false, .reference(ordinal: 4)), link("boss", "Person", false, .reference(ordinal: 0)),
        ], indexes: indexes(employeeFields)),
      CatalogueEntity(
        number: 2, name: "Team", fields: [field(0, "title", .string, isOptional: false), field(1, "rank", .int)],
        relationships: [link("members", "Person", true, .inverse(entity: 0, ordinal: 8))]),
      CatalogueEntity(
        number: 3, name: "Tag", fields: [field(0, "label", .string, isOptional: false)],
        relationships: [link("people", "Person", true, .join(entity: 4, near: 1, far: 0))]),
      CatalogueEntity(
        number: 4, name: "~Person.tags", isJoin: true,
        fields: [
          field(0, "left", .reference, isOptional: false, destination: "Person"),
          field(1, "right", .reference, isOptional: false, destination: "Tag"),
        ], indexes: joinIndexes()),
    ])
  }

  /// Few values a field, so that equalities, ties and matches are frequent.
  static let pools: [String: [FieldValue]] = [
    "name": ["", "Anna", "anna", "Émile", "E\u{301}mile", "Їжак", "їжак", "i\u{308}", "item 9", "item 10", "\0", "日本"]
      .map { .string($0) },
    "age": [-1, 0, 7, 30, 31, .max].map { .int($0) },
    "score": [-.infinity, -1.5, -0.0, 0, 2.5, .nan, .infinity].map { .double($0) },
    "price": [Decimal(-5), 0, 9.99, 10, Decimal(string: "1e20")!, .nan].map { .decimal($0) },
    "born": [-1, 0, 86_400, .nan].map { .date(Date(timeIntervalSinceReferenceDate: $0)) },
    "active": [.bool(true), .bool(false)],
    "token": (0..<9).map { .uuid(UUID(uuid: (UInt8($0), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))) },
    "blob": [[], [0], [0, 1], [1], [255, 0]].map { .data(Data($0)) },
    "count": [0, 1, 2, .max].map { .uint($0) },
    "site": ["https://a.example/", "https://a.example/b", "https://b.example/"].map { .url($0) },
    "note": [
      .string("none"), .string(""), .string(String(repeating: "long ", count: 110)),
      .string(String(repeating: "long ", count: 110) + "a"), .string(String(repeating: "long ", count: 110) + "b"),
      .string(String(repeating: "x", count: 477)), .string(String(repeating: "x", count: 478)),
      .string(String(repeating: "x", count: 479)), .string(String(repeating: "x", count: 496)), .string("line\r\nend"),
    ],
    "team": (0..<6).map { .reference(id(2, $0)) },
    "boss": (0..<20).map { .reference(id($0 % 2, $0)) },
    "salary": [.int(1), .int(2)], "title": ["A", "b", "Б"].map { .string($0) }, "rank": [1, 2, 3].map { .int($0) },
    "label": ["x", "y", "zed"].map { .string($0) },
    "left": (0..<40).map { .reference(id($0 % 2, $0)) }, "right": (0..<6).map { .reference(id(3, $0)) },
  ]

  static func id(_ entity: EntityNumber, _ index: Int) -> RecordID {
    RecordID(high: UInt64(index), low: UInt64(entity))
  }

  static func records(using generator: inout SeededGenerator) -> [Record] {
    let catalogue = catalogue(isIndexed: false)
    var records: [Record] = []
    for (entity, count) in zip(catalogue.entities, [80, 80, 6, 6, 60]) {
      var taken: Set<[FieldValue]> = []
      for index in 0..<count {
        // Persons and employees share the ids' numbers, but each id is of one entity.
        guard entity.number > 1 || index % 2 == entity.number else { continue }
        let record = record(index, of: entity, using: &generator)
        if entity.isJoin, !taken.insert(record.values.compactMap(\.self)).inserted { continue }
        records.append(record)
      }
    }
    return withUniqueTokens(records)
  }

  private static func record(
    _ index: Int, of entity: CatalogueEntity, using generator: inout SeededGenerator
  ) -> Record {
    var dangling: Set<Int> = []
    let values = entity.fields.map { field -> FieldValue? in
      if !entity.isJoin, entity.number < 2, generator.oneIn(8) { return nil }
      if field.isOptional, generator.oneIn(5) { return .null }
      if field.destination != nil, field.isOptional, generator.oneIn(8) { dangling.insert(field.ordinal) }
      return generator.pick(pools[field.name]!)
    }
    return Record(entity: entity.number, id: id(entity.number, index), values: values, dangling: dangling)
  }

  /// The first record of an entity with a token keeps it.
  private static func withUniqueTokens(_ records: [Record]) -> [Record] {
    var taken: Set<[FieldValue]> = []
    return records.map { record in
      guard record.entity < 2 else { return record }
      // The middle of thirteen fields: the same in either order.
      let ordinal = 6
      guard let token = record.values[ordinal], token != .null,
        !taken.insert([.int(Int64(record.entity)), token]).inserted
      else { return record }
      var values = record.values
      values[ordinal] = .null
      return Record(entity: record.entity, id: record.id, values: values, dangling: record.dangling)
    }
  }

  /// Writes the records with their index entries and lends the tables.
  static func withSource<Result>(
    of records: [Record], isIndexed: Bool, _ body: (QuerySource) throws -> Result
  ) throws -> Result {
    let catalogue = catalogue(isIndexed: isIndexed)
    let directory = FileManager.default.temporaryDirectory.appending(path: "query-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    defer {
      do { try FileManager.default.removeItem(at: directory) } catch { fatalError("cannot remove \(directory)") }
    }
    var options = Environment.Options()
    options.durability = .unsafeNoSync
    let environment = try Environment.open(at: directory.path, options: options)
    let (tables, indexes) = try environment.write { transaction in
      let tables = try catalogue.entities.map { try transaction.createDatabase(named: "e\($0.number)") }
      var indexes: [Int: Database] = [:]
      for index in catalogue.entities.flatMap(\.indexes) {
        indexes[index.number] = try transaction.createDatabase(named: "x\(index.number)")
      }
      for record in records { try write(record, of: catalogue, tables, indexes, transaction) }
      return (tables, indexes)
    }
    return try environment.read { transaction in
      try body(
        QuerySource(transaction: transaction.view, catalogue: catalogue, records: tables, indexes: indexes))
    }
  }

  private static func write(
    _ record: Record, of catalogue: Catalogue, _ tables: [Database], _ indexes: [Int: Database],
    _ transaction: borrowing WriteTransaction
  ) throws {
    let stamp = Stamp(time: 1, counter: 0, replica: ReplicaID(1))
    let registers = record.values.enumerated().compactMap { ordinal, value in
      value.map { RecordFacts.Register(ordinal: ordinal, value: $0, stamp: stamp) }
    }
    let facts = RecordFacts(
      entity: record.entity, id: record.id, isInserted: true, touch: stamp, registers: registers)
    let bytes = try RecordEncoding(facts, dangling: record.dangling.sorted()).bytes()
    var key: [UInt8] = []
    record.id.append(to: &key)
    let id = key
    try transaction.put(tables[record.entity], key: id, value: bytes, mode: .insert)
    var encoder = KeyEncoder()
    for index in catalogue.entities[record.entity].indexes {
      let isUnique = bytes.withRawBytes { bytes in
        IndexKey(index, of: catalogue.entities[record.entity])
          .encode(RecordView(bytes), id: record.id, into: &encoder)
      }
      try transaction.put(indexes[index.number]!, key: encoder.bytes, value: isUnique ? id : [], mode: .insert)
    }
  }
}

extension QuerySource {
  /// The records that a query finds, copied out and checked.
  func fetch(_ query: RecordQuery) throws -> [RecordImage] {
    var images: [RecordImage] = []
    try forEachRow(query) { row in
      images.append(try row.image())
      return true
    }
    return images
  }
}

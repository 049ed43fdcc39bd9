import RecordStore

/// A file that Core Data or SwiftData wrote, by its tables alone: names of to-many sides, exact names and some types
/// stand only in the app's models, so a store of the app takes more of it than a new one.
///
/// `Z_PRIMARYKEY` numbers the entities (`Z_ENT`, `Z_NAME`, `Z_SUPER`). The entities of a hierarchy share the table of
/// its root, `Z<ROOT>`, with `Z_PK`, `Z_ENT`, `Z_OPT` and a column `Z<NAME>` for each attribute and each to-one
/// relationship. `Z_<n><NAME>` holds a many-to-many relationship in two columns `Z_<entity><RELATIONSHIP>`. Dates count
/// seconds from 2001.
struct CoreDataSource {
  struct Entity {
    let number: Int64
    let name: String
    let parent: Int64
  }

  private static let maximumEntities = 2_000

  private let shape: DatabaseShape
  private let connection: SQLiteConnection
  private var entities: [Int64: Entity] = [:]
  private var source: ImportSource
  private var definitions: [EntityDefinition] = []

  /// Nil for a file of another program.
  static func read(_ connection: SQLiteConnection, _ shape: DatabaseShape) throws -> ImportSource? {
    guard let keys = shape.table(named: "Z_PRIMARYKEY"), shape.table(named: "Z_METADATA") != nil,
      ["Z_ENT", "Z_NAME", "Z_SUPER"].allSatisfy({ keys.column(named: $0) != nil })
    else { return nil }
    var reader = try CoreDataSource(connection, shape)
    return try reader.read()
  }

  private init(_ connection: SQLiteConnection, _ shape: DatabaseShape) throws {
    (self.connection, self.shape) = (connection, shape)
    let metadata = try connection.rows("SELECT Z_UUID FROM Z_METADATA LIMIT 1")
    source = ImportSource(
      reading: .reference, namespace: metadata.first?.first?.text ?? "", definition: .schema(StoreSchema(entities: [])))
    for row in try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY") {
      // Numbers from 16,001 on are those of Core Data's own history.
      guard let number = row[0].number, number < 16_000, case .text(let name) = row[1], !name.isEmpty else { continue }
      entities[number] = Entity(number: number, name: name, parent: row[2].number ?? 0)
    }
    guard entities.count <= CoreDataSource.maximumEntities else {
      throw BridgeError(
        .beyondLimits, "\(connection.path) names more than \(CoreDataSource.maximumEntities) entities: no app has them")
    }
  }

  private mutating func read() throws -> ImportSource {
    for root in entities.values.sorted(by: { $0.number < $1.number }) where entities[root.parent] == nil {
      try addFamily(of: root)
    }
    for table in shape.tables where table.name.hasPrefix("Z_") { addJoin(table) }
    source.definition = .schema(StoreSchema(entities: definitions))
    guard !source.tables.isEmpty else {
      throw BridgeError(.notUnderstood, "\(connection.path) has no entities: nothing can be imported from it")
    }
    return source
  }

  /// The entity's ancestors, nearest first.
  private func ancestors(of entity: Entity) -> [Entity] {
    var ancestors: [Entity] = []
    // A ring of parents ends where it began.
    while let next = entities[(ancestors.last ?? entity).parent], ancestors.count < entities.count {
      ancestors.append(next)
    }
    return ancestors
  }

  private func family(of root: Entity) -> [Entity] {
    entities.values.filter { $0.number == root.number || ancestors(of: $0).contains { $0.number == root.number } }
      .sorted { $0.number < $1.number }
  }

  private func tableName(of root: Entity) -> String { "Z" + root.name.uppercased() }

  private mutating func addFamily(of root: Entity) throws {
    guard let table = shape.table(named: tableName(of: root)),
      ["Z_PK", "Z_ENT"].allSatisfy({ table.column(named: $0) != nil })
    else {
      source.notes.append("\(root.name): the file has no table '\(tableName(of: root))', left out")
      return
    }
    let family = family(of: root)
    try noteStrangers(in: table, family)
    let columns = try properties(of: table, family)
    var definition = EntityDefinition(name: root.name)
    if family.count > 1 { definition.addClass() }
    for column in columns { column.declare(in: &definition, root: root.name) }
    definition.uniquenessConstraints = table.uniques.compactMap { names in
      let properties = names.compactMap { name in
        columns.first { $0.column == name && $0.owner == root.name && $0.type != .reference }?.property
      }
      return properties.count == names.count ? properties : nil
    }
    definitions.append(definition)
    for entity in family {
      source.tables.append(
        .init(
          name: table.name, entity: entity.name, filter: "Z_ENT = \(entity.number)",
          ancestors: ancestors(of: entity).map(\.name), identity: .derived(columns: ["Z_PK"]),
          columns: columns.map { $0.described(for: entity.number) }, places: CoreDataSource.places(in: table)))
    }
  }

  private static let placeMark = "Z_FOK_"

  /// `Z_FOK_TRIP` has the places of rows in the ordered lists of those that `ZTRIP` leads to.
  private static func places(in table: TableShape) -> [(column: String, property: String)] {
    table.columns.map(\.name).filter { $0.hasPrefix(placeMark) }
      .map { ($0, $0.dropFirst(placeMark.count).lowercased()) }
  }

  private mutating func noteStrangers(in table: TableShape, _ family: [Entity]) throws {
    let numbers = family.map { "\($0.number)" }.joined(separator: ", ")
    let count = try connection.rows(
      "SELECT count(*) FROM \(SQLiteName.quoted(table.name)) WHERE Z_ENT IS NULL OR Z_ENT NOT IN (\(numbers))")
    if let count = count[0][0].number, count > 0 {
      source.notes.append("\(table.name): \(count) rows of an entity that the file does not name, left out")
    }
  }

  private mutating func properties(of table: TableShape, _ family: [Entity]) throws -> [CoreDataProperty] {
    var properties: [CoreDataProperty] = []
    let indexed = try indexedColumns(of: table)
    for column in table.columns where !["Z_PK", "Z_ENT", "Z_OPT"].contains(column.name.uppercased()) {
      // `Z2_NAME` and `Z2NAME` say of which entity the target in `ZNAME` is: its table has all of the hierarchy.
      guard column.name.hasPrefix("Z"), column.name.dropFirst().first?.isNumber == false, column.name.count > 1,
        !column.name.hasPrefix(CoreDataSource.placeMark)
      else { continue }
      var property = CoreDataProperty(
        column: column.name, property: column.name.dropFirst().lowercased(), type: column.coreDataType)
      property.counts = try counts(of: column, in: table)
      let entities = family.filter { property.counts[$0.number, default: 0] > 0 }
      property.owner = commonAncestor(of: entities)?.name ?? family[0].name
      if property.type == .data { try describe(&property, in: table) }
      if property.type == .int { refine(&property, isIndexed: indexed.contains(column.name), table) }
      properties.append(property)
    }
    return properties
  }

  /// How many values each entity has.
  private func counts(of column: TableShape.Column, in table: TableShape) throws -> [Int64: Int64] {
    let rows = try connection.rows(
      "SELECT Z_ENT, count(\(SQLiteName.quoted(column.name))) FROM \(SQLiteName.quoted(table.name)) GROUP BY Z_ENT")
    return rows.reduce(into: [:]) { counts, row in
      if let entity = row[0].number, let count = row[1].number { counts[entity] = count }
    }
  }

  private func commonAncestor(of entities: [Entity]) -> Entity? {
    guard let first = entities.first else { return nil }
    let others = entities.dropFirst().map { entity in Set(([entity] + ancestors(of: entity)).map(\.number)) }
    return ([first] + ancestors(of: first)).first { candidate in others.allSatisfy { $0.contains(candidate.number) } }
  }

  /// Core Data has an index over each to-one relationship.
  private func indexedColumns(of table: TableShape) throws -> Set<String> {
    var columns: Set<String> = []
    for index in try connection.rows("SELECT name FROM pragma_index_list(?) WHERE NOT \"unique\"", [.text(table.name)])
    {
      let names = try connection.rows("SELECT name FROM pragma_index_info(?)", [index[0]])
      if names.count == 1 { columns.insert(names[0][0].text) }
    }
    return columns
  }

  /// A whole number that is indexed, and is named after an entity, leads to it.
  private mutating func refine(_ property: inout CoreDataProperty, isIndexed: Bool, _ table: TableShape) {
    guard isIndexed else { return }
    guard let entity = NameMatch.find(property.property, in: Array(entities.values), \.name) else {
      source.typeNotes.append(
        "\(table.name).\(property.column): a whole number with an index, perhaps a relationship, whose target stands "
          + "only in the app's models: to keep it, import into a store that the app has made")
      return
    }
    let root = ancestors(of: entity).last ?? entity
    guard let target = shape.table(named: tableName(of: root)) else { return }
    property.type = .reference
    property.target = .init(table: target.name, columns: ["Z_PK"])
    property.destination = root.name
  }

  /// Whether values of bytes begin with a mark, and whether they may be UUIDs.
  private mutating func describe(_ property: inout CoreDataProperty, in table: TableShape) throws {
    let name = SQLiteName.quoted(property.column)
    let row = try connection.rows(
      """
      SELECT count(\(name)), total(substr(\(name), 1, 1) IN (x'01', x'02')),
        total(length(\(name)) = 38 AND substr(\(name), 1, 1) = x'02'), total(length(\(name)) = 16)
      FROM \(SQLiteName.quoted(table.name)) WHERE length(\(name)) > 0
      """)[0]
    guard let count = row[0].number, count > 0, row[1...].allSatisfy({ if case .real = $0 { true } else { false } })
    else { return }
    let total = SQLiteValue.real(Double(count))
    property.mayBeMarked = row[1] == total
    property.isMarked = property.mayBeMarked && row[2] != .real(0)
    if row[3] == total, !property.isMarked {
      property.type = .uuid
      source.typeNotes.append("\(table.name).\(property.column): taken as UUIDs, because each value has 16 bytes")
    } else if property.mayBeMarked, !property.isMarked {
      source.typeNotes.append(
        "\(table.name).\(property.column): each value begins with a byte 1 or 2, perhaps the mark of values that "
          + "may lie in files: taken as it is")
    }
  }
}

// Many-to-many relationships.
extension CoreDataSource {
  private mutating func addJoin(_ table: TableShape) {
    let columns = table.columns.map(\.name).filter { !$0.hasPrefix(CoreDataSource.placeMark) }
    let sides = columns.compactMap { side($0) }
    guard let first = sides.first, sides.count == columns.count || columns.contains("REFLEXIVE"), columns.count == 2
    else { return }
    if columns.count < table.columns.count {
      source.notes.append("\(table.name): the order of a many-to-many relationship, left out")
    }
    let second = sides.count == 2 ? sides[1] : (column: "REFLEXIVE", entity: first.entity, name: first.name)
    let roots = [first.entity, second.entity].map { ancestors(of: $0).last ?? $0 }
    let tables = roots.compactMap { shape.table(named: tableName(of: $0))?.name }
    guard tables.count == 2 else { return }
    // The second column's name is that of the relationship which leads from the first one's entity to the second's.
    let (name, inverse) = (second.name.lowercased(), first.name.lowercased())
    source.joins.append(
      .init(
        table: table.name, columns: [first.column], otherColumns: [second.column],
        near: .init(table: tables[0], columns: ["Z_PK"]), far: .init(table: tables[1], columns: ["Z_PK"]),
        entity: first.entity.name, relationship: name))
    if columns.count != table.columns.count {
      source.notes.append("\(table.name): the order of a relationship, left out")
    }
    declare(name, from: roots[0].name, to: roots[1].name, inverse: sides.count == 2 ? inverse : name)
    if sides.count == 2 { declare(inverse, from: roots[1].name, to: roots[0].name, inverse: name) }
  }

  /// `Z_2TAGS`: the rows of entity 2, to which `tags` leads.
  private func side(_ column: String) -> (column: String, entity: Entity, name: String)? {
    guard column.hasPrefix("Z_") else { return nil }
    let digits = column.dropFirst(2).prefix { $0.isASCII && $0.isNumber }
    let name = String(column.dropFirst(2 + digits.count))
    guard let number = Int64(digits), let entity = entities[number], !name.isEmpty else { return nil }
    return (column, entity, name)
  }

  private mutating func declare(_ name: String, from entity: String, to destination: String, inverse: String) {
    guard let place = definitions.firstIndex(where: { $0.name == entity }) else { return }
    let taken = definitions[place].attributes.map(\.name) + definitions[place].relationships.map(\.name)
    guard !taken.contains(name) else { return }
    definitions[place].relationships.append(
      RelationshipDefinition(name: name, destination: destination, isToMany: true, inverse: inverse))
  }
}

/// A column of a Core Data table that stands for an attribute or a to-one relationship.
private struct CoreDataProperty {
  let column: String
  let property: String
  var type: FieldType
  /// How many values each entity has.
  var counts: [Int64: Int64] = [:]
  /// The entity that declares it, as far as values tell: the nearest ancestor of those that have any.
  var owner = ""
  var target: ImportSource.Target?
  var destination: String?
  var mayBeMarked = false
  var isMarked = false

  init(column: String, property: String, type: FieldType) {
    (self.column, self.property, self.type) = (column, property, type)
  }

  func declare(in definition: inout EntityDefinition, root: String) {
    let isOwn = owner == root
    let name = isOwn ? property : "\(owner).\(property)"
    if type == .reference, let destination {
      definition.relationships.append(
        RelationshipDefinition(name: name, destination: destination, isSparse: !isOwn))
    } else {
      definition.attributes.append(
        AttributeDefinition(
          name: name, type: type, isOptional: true, isStoredExternally: isMarked, isSparse: !isOwn))
    }
  }

  func described(for entity: Int64) -> ImportSource.Column {
    ImportSource.Column(
      names: [column], property: property, type: type, target: target,
      marks: isMarked ? .present : mayBeMarked ? .possible : .absent, hasValues: counts[entity, default: 0] > 0)
  }
}

extension TableShape.Column {
  /// The type that Core Data declares.
  fileprivate var coreDataType: FieldType {
    switch declaredType {
    case "INTEGER", "BIGINT", "SMALLINT": .int
    case "FLOAT", "DOUBLE", "REAL": .double
    case "DECIMAL": .decimal
    case "TIMESTAMP": .date
    case "BLOB": .data
    default: .string
    }
  }
}

import RecordStore

/// A SQLite file of any program, by its tables, keys and values.
///
/// A table becomes an entity, a foreign key a to-one relationship with an inverse, a table of two foreign keys and
/// nothing else a many-to-many relationship. A column's type is the narrowest that holds all its values.
struct PlainSource {
  private let shape: DatabaseShape
  private let connection: SQLiteConnection
  private var source: ImportSource
  private var entities: [String: EntityDefinition] = [:]
  private var names: [String: PropertyNames] = [:]
  /// The columns of each table whose values are of several kinds.
  private var mixed: [String: Set<String>] = [:]

  static func read(
    _ connection: SQLiteConnection, _ shape: DatabaseShape, namespace: String
  ) throws -> ImportSource {
    var reader = PlainSource(shape, connection, namespace)
    return try reader.read()
  }

  private init(_ shape: DatabaseShape, _ connection: SQLiteConnection, _ namespace: String) {
    (self.shape, self.connection) = (shape, connection)
    source = ImportSource(namespace: namespace, notes: shape.leftOut, definition: .schema(StoreSchema(entities: [])))
  }

  private mutating func read() throws -> ImportSource {
    let tables = shape.tables.filter { !isJoin($0) }
    for table in tables {
      names[table.name] = PropertyNames()
      entities[table.name] = EntityDefinition(name: PropertyNames.storable(table.name))
    }
    for table in tables { try add(table) }
    // Names that stand in the file come before those of the other sides.
    let references = tables.flatMap { table in table.foreignKeys.compactMap { reference($0, of: table) } }
    for reference in references { add(reference) }
    for table in shape.tables where isJoin(table) { addJoin(table) }
    for table in tables { addUniques(of: table) }
    source.definition = .schema(StoreSchema(entities: tables.compactMap { entities[$0.name] }))
    guard !source.tables.isEmpty else {
      throw BridgeError(.notUnderstood, "\(connection.path) has no tables: nothing can be imported from it")
    }
    return source
  }

  /// A table of two foreign keys to tables that are none itself.
  private func isJoin(_ table: TableShape) -> Bool {
    guard table.foreignKeys.count == 2, table.columns.count == table.foreignKeys.flatMap(\.columns).count else {
      return false
    }
    let columns = Set(table.foreignKeys.flatMap(\.columns).map { SQLiteName.folded($0) })
    return columns.count == table.columns.count
      && table.foreignKeys.allSatisfy { key in
        guard let target = shape.table(named: key.table) else { return false }
        return target.name != table.name && !(target.foreignKeys.count == 2 && isOnlyKeys(target))
      }
  }

  private func isOnlyKeys(_ table: TableShape) -> Bool {
    table.columns.count == table.foreignKeys.flatMap(\.columns).count
  }

  private mutating func add(_ table: TableShape) throws {
    let contents = try ColumnContent.read(table, connection)
    let single = Set(table.foreignKeys.filter { $0.columns.count == 1 && isReference($0) }.flatMap(\.columns))
    var columns: [ImportSource.Column] = []
    for column in table.columns where !single.contains(column.name) {
      let content = contents[column.name] ?? ColumnContent()
      let (type, isAsDeclared) = content.type(of: column)
      let property = names[table.name]?.take(column.name) ?? column.name
      let isOptional = content.nulls > 0 || !column.isRequired
      columns.append(.init(names: [column.name], property: property, type: type, isOptional: isOptional))
      entities[table.name]?.attributes.append(
        AttributeDefinition(name: property, type: type, isOptional: isOptional))
      if !isAsDeclared {
        let declared = column.declaredType.isEmpty ? "without a type" : "as \(column.declaredType)"
        source.typeNotes.append("\(table.name).\(column.name): declared \(declared), taken as \(type) by its values")
      }
    }
    source.notes += table.computed.map { "\(table.name).\($0): a computed column, left out" }
    let key = table.keyColumns.isEmpty ? [try rowNumber(of: table)] : table.keyColumns
    mixed[table.name] = Set(table.columns.map(\.name).filter { contents[$0]?.isMixed ?? false })
    source.tables.append(
      .init(
        name: table.name, entity: PropertyNames.storable(table.name),
        identity: .derived(columns: key), columns: columns))
  }

  /// A name of the number of a row that is not the name of a column.
  private func rowNumber(of table: TableShape) throws -> String {
    let names = Set((table.columns.map(\.name) + table.computed).map { SQLiteName.folded($0) })
    guard let name = SQLiteName.rowNumbers.first(where: { !names.contains($0) }) else {
      throw BridgeError(
        .notUnderstood,
        "the table '\(table.name)' has no primary key, and columns hide the numbers of its rows: rename 'oid' in the "
          + "file")
    }
    return name
  }

  /// The table and columns that a foreign key leads to; nil where the file has none such.
  private func target(of key: TableShape.ForeignKey) -> ImportSource.Target? {
    guard let table = shape.table(named: key.table) else { return nil }
    let columns = key.targets.isEmpty ? table.keyColumns : key.targets
    guard columns.count == key.columns.count, columns.allSatisfy({ table.column(named: $0) != nil }) else { return nil }
    return ImportSource.Target(table: table.name, columns: columns.compactMap { table.column(named: $0)?.name })
  }

  private func isReference(_ key: TableShape.ForeignKey) -> Bool {
    target(of: key).map { entities[$0.table] != nil } ?? false
  }

  private struct Reference {
    let key: TableShape.ForeignKey
    let table: String
    let target: ImportSource.Target
    let name: String
  }

  private mutating func reference(_ key: TableShape.ForeignKey, of table: TableShape) -> Reference? {
    guard let target = target(of: key), entities[target.table] != nil else {
      source.notes.append(
        "\(table.name).\(key.columns.joined(separator: ", ")): refers to \(key.table), which the file does not have; "
          + "taken as a value")
      return nil
    }
    let column = key.columns.count == 1 ? key.columns[0] : target.table
    guard let name = names[table.name]?.take(PropertyNames.relationship(column), or: column) else { return nil }
    return Reference(key: key, table: table.name, target: target, name: name)
  }

  private mutating func add(_ reference: Reference) {
    let (table, target, name) = (reference.table, reference.target, reference.name)
    guard let inverse = takeMany(of: table, in: target.table, or: "\(PropertyNames.property(table))_\(name)") else {
      return
    }
    var described = ImportSource.Column(names: reference.key.columns, property: name, type: .reference, target: target)
    described.alternatives = reference.key.columns
    if let place = source.tables.firstIndex(where: { $0.name == table }) {
      source.tables[place].columns.append(described)
    }
    let (entity, destination) = (PropertyNames.storable(table), PropertyNames.storable(target.table))
    entities[table]?.relationships.append(
      RelationshipDefinition(name: name, destination: destination, inverse: inverse))
    entities[target.table]?.relationships.append(
      RelationshipDefinition(name: inverse, destination: entity, isToMany: true, inverse: name))
  }

  /// A name in `owner` for the rows of `table`. No entity bears it: in the source of a class, a property hides the
  /// class of the same name.
  private mutating func takeMany(of table: String, in owner: String, or other: String) -> String? {
    let several = PropertyNames.several(table)
    let isEntity = entities.keys.contains { PropertyNames.storable($0) == several }
    return names[owner]?.take(isEntity ? other : several, or: other)
  }

  private mutating func addJoin(_ table: TableShape) {
    let keys = table.foreignKeys
    guard let near = target(of: keys[0]), let far = target(of: keys[1]), entities[near.table] != nil,
      entities[far.table] != nil,
      let name = takeMany(of: far.table, in: near.table, or: "\(PropertyNames.property(table.name))_\(far.table)"),
      let inverse = takeMany(of: near.table, in: far.table, or: "\(PropertyNames.property(table.name))_\(near.table)")
    else {
      source.notes.append("\(table.name): links tables that the file does not have, left out")
      return
    }
    let (left, right) = (PropertyNames.storable(near.table), PropertyNames.storable(far.table))
    source.joins.append(
      .init(
        table: table.name, columns: keys[0].columns, otherColumns: keys[1].columns, near: near, far: far,
        entity: left, relationship: name))
    entities[near.table]?.relationships.append(
      RelationshipDefinition(name: name, destination: right, isToMany: true, inverse: inverse))
    entities[far.table]?.relationships.append(
      RelationshipDefinition(name: inverse, destination: left, isToMany: true, inverse: name))
  }

  private mutating func addUniques(of table: TableShape) {
    guard let place = source.tables.firstIndex(where: { $0.name == table.name }) else { return }
    for columns in (table.keyColumns.isEmpty ? [] : [table.keyColumns]) + table.uniques {
      let properties = columns.compactMap { column in
        source.tables[place].columns.first { $0.names == [column] }?.property
      }
      guard properties.count == columns.count, Set(properties).count == columns.count,
        entities[table.name]?.uniquenessConstraints.contains(properties) == false
      else { continue }
      guard mixed[table.name, default: []].isDisjoint(with: columns) else {
        source.typeNotes.append(
          "\(table.name).\(columns.joined(separator: ", ")): unique in the file, and not in the store, because a value "
            + "of another kind may have the same text")
        continue
      }
      entities[table.name]?.uniquenessConstraints.append(properties)
    }
  }
}

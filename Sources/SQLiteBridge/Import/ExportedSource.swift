import RecordStore
import StoreInspection

/// A file that ``SQLiteExport`` wrote.
enum ExportedSource {
  private static let maximumCatalogueBytes = 64 << 20

  /// Nil for a file of another program.
  static func read(_ connection: SQLiteConnection, _ shape: DatabaseShape) throws -> ImportSource? {
    guard let table = shape.table(named: SQLiteLayout.catalogueTable),
      table.columns.map(\.name) == ["format", "catalogue"]
    else { return nil }
    let catalogue = try catalogue(connection)
    let layout = SQLiteLayout(catalogue)
    var source = ImportSource(namespace: "", definition: .catalogue(catalogue))
    var known: Set<String> = [SQLiteName.folded(SQLiteLayout.catalogueTable)]
    for table in layout.tables {
      known.insert(SQLiteName.folded(table.name))
      guard let found = shape.table(named: table.name), found.column(named: table.idColumn) != nil else {
        source.notes.append("\(table.entity.name): the file has no table '\(table.name)' any more")
        continue
      }
      source.tables.append(source.table(table, found, layout))
    }
    for join in layout.joins {
      known.insert(SQLiteName.folded(join.name))
      let sides = [layout.tables[join.left.table], layout.tables[join.right.table]]
      guard let found = shape.table(named: join.name),
        [join.left.column, join.right.column].allSatisfy({ found.column(named: $0) != nil })
      else {
        source.notes.append(
          "\(sides[0].entity.name).\(join.relationship): the file has no table '\(join.name)' any more")
        continue
      }
      source.joins.append(
        .init(
          table: join.name, columns: [join.left.column], otherColumns: [join.right.column],
          near: .init(table: sides[0].name, columns: [sides[0].idColumn]),
          far: .init(table: sides[1].name, columns: [sides[1].idColumn]), entity: sides[0].entity.name,
          relationship: join.relationship))
    }
    source.notes +=
      shape.tables.filter { !known.contains(SQLiteName.folded($0.name)) }
      .map { "\($0.name): a table that the export did not make, left out" } + shape.leftOut
    return source
  }

  private static func catalogue(_ connection: SQLiteConnection) throws -> Catalogue {
    let name = SQLiteName.quoted(SQLiteLayout.catalogueTable)
    let rows = try connection.rows(
      "SELECT format, CASE WHEN length(catalogue) <= \(maximumCatalogueBytes) THEN catalogue END FROM \(name) LIMIT 2")
    guard rows.count == 1, let format = rows[0][0].number, case .text(let text) = rows[0][1] else {
      throw BridgeError(
        .notUnderstood, "the table '\(SQLiteLayout.catalogueTable)' does not say what the file holds: export it again")
    }
    guard format == SQLiteLayout.format else {
      throw BridgeError(
        .notUnderstood, "the file has format \(format), this build reads \(SQLiteLayout.format): update tandem")
    }
    do {
      let catalogue = try JSON(parsing: text).decoded(as: Catalogue.self)
      guard catalogue.isConsistent else {
        throw BridgeError(.notUnderstood, "the file's catalogue contradicts itself: export it again")
      }
      return catalogue
    } catch let error as BridgeError {
      throw error
    } catch {
      throw BridgeError(.notUnderstood, "the file's catalogue cannot be read: export it again", cause: error)
    }
  }
}

extension ImportSource {
  fileprivate mutating func table(_ table: SQLiteLayout.Table, _ found: TableShape, _ layout: SQLiteLayout) -> Table {
    var columns: [Column] = []
    for column in table.columns {
      guard found.column(named: column.name) != nil else {
        notes.append("\(table.entity.name).\(column.field.name): the file has no column '\(column.name)' any more")
        continue
      }
      var described = Column(
        names: [column.name], property: column.field.name, type: column.field.type, isOptional: column.field.isOptional)
      if column.field.type == .reference,
        let target = layout.tables.first(where: { $0.entity.name == column.field.destination })
      {
        described.target = Target(table: target.name, columns: [target.idColumn])
      }
      columns.append(described)
    }
    let known = Set((table.columns.map(\.name) + [table.idColumn]).map { SQLiteName.folded($0) })
    for column in found.columns where !known.contains(SQLiteName.folded(column.name)) {
      notes.append("\(table.name).\(column.name): a column that the export did not make, left out")
    }
    return Table(
      name: table.name, entity: table.entity.name, identity: .recordID(column: table.idColumn), columns: columns)
  }
}

extension Catalogue {
  /// Whether numbers and ordinals that are used here lead somewhere: a file may come from anywhere.
  fileprivate var isConsistent: Bool {
    guard entities.enumerated().allSatisfy({ $0 == $1.number && !$1.name.isEmpty }),
      Set(entities.map(\.name)).count == entities.count
    else { return false }
    return entities.allSatisfy { entity in
      entity.fields.enumerated().allSatisfy { $0 == $1.ordinal }
        && entity.indexes.allSatisfy { $0.components.allSatisfy { entity.fields.indices.contains($0.ordinal) } }
        && entity.relationships.allSatisfy { isConsistent($0.storage, of: entity) }
    }
  }

  private func isConsistent(_ storage: CatalogueRelationship.Storage, of entity: CatalogueEntity) -> Bool {
    switch storage {
    case .reference(let ordinal): return entity.fields.indices.contains(ordinal)
    case .inverse(let other, let ordinal):
      return entities.indices.contains(other) && entities[other].fields.indices.contains(ordinal)
    case .join(let join, let near, let far):
      guard entities.indices.contains(join) else { return false }
      return entities[join].fields.indices.contains(near) && entities[join].fields.indices.contains(far)
    }
  }
}

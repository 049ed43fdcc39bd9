import RecordStore

/// Which table and column of a file stands for which entity and property of a store, by their names.
///
/// A name fits if it is equal, or equal but for case and underscores, and no other is: neither another name of the
/// store, nor another of the file that is equal.
struct ImportMatch {
  struct Table {
    let source: ImportSource.Table
    let entity: CatalogueEntity
    /// Columns whose values are taken, and their fields.
    var columns: [(source: ImportSource.Column, field: CatalogueField, target: ImportSource.Target?)] = []
    /// Columns with the places of rows in ordered lists, each with the place of the owner's reference in `columns` and
    /// the field for positions.
    var places: [(column: String, owner: Int, field: CatalogueField)] = []
    /// The class of the rows, where the store has the classes of a hierarchy in one entity.
    var className: String?
  }

  struct Join {
    let source: ImportSource.Join
    /// The name of the entity that has the relationship.
    let entity: String
    let relationship: CatalogueRelationship
  }

  private(set) var tables: [Table] = []
  private(set) var joins: [Join] = []
  private(set) var notes: [String] = []
  private let catalogue: Catalogue

  init(_ source: ImportSource, in catalogue: Catalogue) {
    self.catalogue = catalogue
    for table in source.tables { match(table) }
    for index in tables.indices {
      matchColumns(of: index, in: source)
      matchPlaces(of: index)
    }
    for join in source.joins { match(join) }
  }

  private mutating func match(_ table: ImportSource.Table) {
    let entities = catalogue.entities.filter { $0.isDeclared && !$0.isJoin }
    if let entity = NameMatch.find(table.entity, in: entities, \.name) {
      tables.append(Table(source: table, entity: entity))
      return
    }
    for ancestor in table.ancestors {
      if let entity = NameMatch.find(ancestor, in: entities, \.name), entity.field(named: ".class") != nil {
        tables.append(Table(source: table, entity: entity, className: table.entity))
        return
      }
    }
    notes.append("\(table.name): the store has no entity '\(table.entity)', left out")
  }

  private mutating func matchColumns(of index: Int, in source: ImportSource) {
    let table = tables[index]
    let fields = table.entity.fields.filter(\.isDeclared)
    let properties = Set(table.source.columns.map(\.property))
    var taken: Set<Int> = []
    for column in table.source.columns {
      let names =
        [column.property] + column.alternatives
        + ([table.source.entity] + table.source.ancestors).map { "\($0).\(column.property)" }
      let field = names.lazy.compactMap { NameMatch.find($0, in: fields, beside: properties, \.name) }.first
      guard let field else {
        // Core Data has both sides of a one-to-one relationship, and the store the other one.
        let isOtherSide = NameMatch.find(column.property, in: table.entity.relationships, \.name) != nil
        if source.reading != .reference || !isOtherSide {
          leave(column, of: table, "the store's entity '\(table.entity.name)' has no property for it")
        }
        continue
      }
      guard taken.insert(field.ordinal).inserted else {
        leave(column, of: table, "another column stands for '\(field.name)'")
        continue
      }
      guard field.type == .reference else {
        guard column.names.count == 1 else {
          leave(column, of: table, "a key of several columns, and '\(field.name)' is one value")
          continue
        }
        tables[index].columns.append((column, field, nil))
        continue
      }
      guard let target = target(of: column, field, in: source) else {
        leave(column, of: table, "refers to '\(field.destination ?? "")', which the file does not have")
        continue
      }
      tables[index].columns.append((column, field, target))
    }
  }

  private mutating func matchPlaces(of index: Int) {
    let table = tables[index]
    for place in table.source.places {
      if let owner = table.columns.firstIndex(where: { $0.source.property == place.property }),
        let field = positionField(beside: table.columns[owner].field, of: table.entity)
      {
        tables[index].places.append((place.column, owner, field))
      } else {
        let note = "\(table.source.name).\(place.column): the order of a relationship, left out"
        if !notes.contains(note) { notes.append(note) }
      }
    }
  }

  /// The field for positions in the lists of the records that a reference leads to.
  private func positionField(beside reference: CatalogueField, of entity: CatalogueEntity) -> CatalogueField? {
    let own = entity.relationships.first { $0.storage == .reference(ordinal: reference.ordinal) }
    guard let own, let inverse = own.inverse, let owner = catalogue.entity(named: own.destination) else { return nil }
    return owner.relationship(named: inverse).flatMap { catalogue.positionField(of: $0, in: owner) }
  }

  /// A column without a value is no loss.
  private mutating func leave(_ column: ImportSource.Column, of table: Table, _ reason: String) {
    guard column.hasValues else { return }
    notes.append("\(table.source.name).\(column.names.joined(separator: ", ")): \(reason), left out")
  }

  /// The file's word, or the table of the entity that the store says.
  private func target(
    of column: ImportSource.Column, _ field: CatalogueField, in source: ImportSource
  ) -> ImportSource.Target? {
    if let target = column.target { return target }
    guard let table = tables.first(where: { $0.entity.name == field.destination })?.source else { return nil }
    switch table.identity {
    case .recordID(let column): return ImportSource.Target(table: table.name, columns: [column])
    case .derived(let columns): return ImportSource.Target(table: table.name, columns: columns)
    }
  }

  private mutating func match(_ join: ImportSource.Join) {
    let near = tables.first { $0.source.name == join.near.table && $0.source.entity == join.entity }?.entity
    let far = tables.first { $0.source.name == join.far.table }?.entity
    let relationships = (near?.relationships ?? []).filter(\.isToMany)
    let between = relationships.filter { relationship in
      guard case .join = relationship.storage else { return false }
      return relationship.destination == far?.name
    }
    let found =
      NameMatch.find(join.relationship, in: relationships, \.name) ?? (between.count == 1 ? between[0] : nil)
    guard let near, let found else {
      notes.append("\(join.table): the store has no relationship '\(join.relationship)' for its links, left out")
      return
    }
    joins.append(Join(source: join, entity: near.name, relationship: found))
  }
}

/// Names of two programs for one thing.
enum NameMatch {
  /// The element of a name, or the one whose name is equal but for case and underscores. `names`, those that are looked
  /// for, keep what is called exactly as one of them.
  static func find<Element>(
    _ name: String, in elements: [Element], beside names: Set<String> = [], _ path: (Element) -> String
  ) -> Element? {
    if let exact = elements.first(where: { path($0) == name }) { return exact }
    let folded = fold(name)
    let similar = elements.filter { fold(path($0)) == folded && !names.contains(path($0)) }
    return similar.count == 1 ? similar[0] : nil
  }

  private static func fold(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
}

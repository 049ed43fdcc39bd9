import RecordStore
import StoreInspection

/// Finds records by what people have of them: an id, or the unique value of a record that another refers to.
enum RecordFinder {
  static func entity(named name: String, in catalogue: Catalogue) throws(CommandFailure) -> CatalogueEntity {
    guard let entity = catalogue.entity(named: name), !entity.isJoin else {
      let known = catalogue.entities.filter { !$0.isJoin && $0.isDeclared }.map(\.name)
      throw CommandFailure("the store has no entity '\(name)'; " + NameSuggestion.sentence(for: name, among: known))
    }
    guard entity.isDeclared else {
      throw CommandFailure("the store's schema does not declare '\(name)'; an app with a newer schema can change it")
    }
    return entity
  }

  static func id(_ text: String) throws(CommandFailure) -> RecordID {
    guard let id = RecordID(text.lowercased()) else {
      throw CommandFailure(
        "'\(DisplayText.visible(text))' is no id of a record, which has 32 hexadecimal digits; "
          + "'tandem query' shows them")
    }
    return id
  }

  /// The visible record of an id, whatever its entity. A value of it that is not on this device reads as null.
  static func record(_ id: RecordID, in snapshot: borrowing StoreSnapshot) throws -> RecordImage {
    for entity in snapshot.catalogue.entities where !entity.isJoin {
      if let record = try snapshot.image(id, of: entity.number) { return record }
    }
    throw CommandFailure("the store has no record \(id); 'tandem query' shows those that it has")
  }

  /// The target of a reference: a record of an entity, or of one that inherits from it.
  static func target(
    _ text: String, of name: String, for field: String, in snapshot: borrowing StoreSnapshot
  ) throws -> RecordID {
    let entities = snapshot.catalogue.heirs(of: name)
    if let id = RecordID(text.lowercased()) {
      for entity in entities {
        if let record = try snapshot.row(id, of: entity.number) { return record.id }
      }
      throw CommandFailure("the store has no '\(name)' with the id \(id), which '\(field)' is given; name another one")
    }
    for entity in entities {
      for index in entity.indexes where index.isUnique && index.components.count == 1 {
        let field = entity.fields[index.components[0].ordinal]
        guard let value = StatementReader.typed(text, field.type) else { continue }
        if let id = try snapshot.lookUp(index, of: entity.number, values: [value]) { return id }
      }
    }
    throw CommandFailure(
      "'\(field)' is given a '\(name)' that the store does not have; name a record by its id, or by the value of a "
        + "unique attribute")
  }
}

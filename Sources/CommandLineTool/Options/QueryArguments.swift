import RecordStore
import StoreInspection

/// A query as typed on the command line, and what it means in one store.
struct QueryArguments {
  var entity: String
  var condition: String?
  var sort: String?
  var limit: Int?
  var offset = 0
  var fields: String?

  struct Resolved {
    var query: RecordQuery
    var columns: [RecordColumn]
  }

  func resolved(in catalogue: Catalogue, asTable: Bool) throws(CommandFailure) -> Resolved {
    guard let entity = catalogue.entity(named: self.entity) else {
      let known = catalogue.entities.filter { !$0.isJoin }.map(\.name)
      throw CommandFailure(
        "the store has no entity '\(self.entity)'; " + NameSuggestion.sentence(for: self.entity, among: known))
    }
    let resolver = ExpressionResolver(catalogue: catalogue, entity: entity)
    let query = RecordQuery(
      entity: entity.number, filter: try filter(resolver), sort: try sortKeys(resolver), limit: limit, offset: offset)
    return Resolved(query: query, columns: try columns(of: entity, asTable: asTable))
  }

  private func filter(_ resolver: ExpressionResolver) throws(CommandFailure) -> RecordFilter {
    guard let condition else { return .all }
    do {
      return try resolver.filter(try ExpressionParser.parse(condition))
    } catch {
      throw error.failure(of: condition)
    }
  }

  private func sortKeys(_ resolver: ExpressionResolver) throws(CommandFailure) -> [RecordQuery.SortKey] {
    var keys: [RecordQuery.SortKey] = []
    for name in QueryArguments.names(in: sort) {
      let isDescending = name.hasPrefix("-")
      do {
        let path = try resolver.resolve(.init(text: isDescending ? String(name.dropFirst()) : name, column: 1)).path
        keys.append(.init(path, isDescending: isDescending))
      } catch {
        throw CommandFailure("--sort \(name): \(error.message)")
      }
    }
    return keys
  }

  /// All that load takes back, if no fields are chosen. A table shows what a row can hold: neither the entity, which
  /// is the same in all of them, nor lists.
  private func columns(of entity: CatalogueEntity, asTable: Bool) throws(CommandFailure) -> [RecordColumn] {
    let visible = entity.fields.filter { !$0.name.hasPrefix("~") }
    let links = entity.relationships.filter { relationship in
      if case .reference = relationship.storage { false } else { true }
    }
    guard fields != nil else {
      let columns = [.id] + visible.map { RecordColumn.field($0) }
      return asTable ? columns : [.entity] + columns + links.map { .links($0) }
    }
    var columns: [RecordColumn] = []
    for name in QueryArguments.names(in: fields) {
      if name == RecordLine.idMember {
        columns.append(.id)
      } else if name == RecordLine.entityMember {
        columns.append(.entity)
      } else if let field = entity.field(named: name) {
        columns.append(.field(field))
      } else if let relationship = links.first(where: { $0.name == name }) {
        columns.append(.links(relationship))
      } else {
        throw CommandFailure(
          "--fields \(name): '\(entity.name)' has no such field; "
            + NameSuggestion.sentence(for: name, among: visible.map(\.name) + links.map(\.name)))
      }
    }
    return columns
  }

  /// The names of a list that is separated by commas.
  static func names(in list: String?) -> [String] { BracketedName.list(list ?? "") }
}

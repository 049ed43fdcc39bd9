import RecordStore

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

  func resolved(in catalogue: Catalogue) throws(CommandFailure) -> Resolved {
    guard let entity = catalogue.entity(named: self.entity) else {
      let known = catalogue.entities.filter { !$0.isJoin }.map(\.name)
      throw CommandFailure(
        "the store has no entity '\(self.entity)'; " + NameSuggestion.sentence(for: self.entity, among: known))
    }
    let resolver = ExpressionResolver(catalogue: catalogue, entity: entity)
    let query = RecordQuery(
      entity: entity.number, filter: try filter(resolver), sort: try sortKeys(resolver), limit: limit, offset: offset)
    return Resolved(query: query, columns: try columns(of: entity))
  }

  private func filter(_ resolver: ExpressionResolver) throws(CommandFailure) -> RecordFilter {
    guard let condition else { return .all }
    do {
      return try resolver.filter(try ExpressionParser.parse(condition))
    } catch {
      throw CommandFailure(error.explanation(of: condition))
    }
  }

  private func sortKeys(_ resolver: ExpressionResolver) throws(CommandFailure) -> [RecordQuery.SortKey] {
    var keys: [RecordQuery.SortKey] = []
    for name in names(in: sort) {
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

  private func columns(of entity: CatalogueEntity) throws(CommandFailure) -> [RecordColumn] {
    let visible = entity.fields.filter { !$0.name.hasPrefix("~") }
    guard fields != nil else { return [.id] + visible.map { .field($0) } }
    var columns: [RecordColumn] = []
    for name in names(in: fields) {
      if name == "@id" {
        columns.append(.id)
      } else if let field = entity.field(named: name) {
        columns.append(.field(field))
      } else {
        throw CommandFailure(
          "--fields \(name): '\(entity.name)' has no such field; "
            + NameSuggestion.sentence(for: name, among: visible.map(\.name)))
      }
    }
    return columns
  }

  private func names(in list: String?) -> [String] {
    (list ?? "").split(separator: ",").map { String($0.drop { $0 == " " }) }
  }
}

import LivePage
import RecordStore
import StoreInspection

/// One page of a query's records, which begins behind the last record of the page before: a later page reads no more
/// records than the first, and records that others insert or delete meanwhile shift nothing.
///
/// Records with the same value follow each other by their ids. So the page is made of up to four queries: the rest of
/// the value that the last page ended with, by ids; greater values; and the bands behind them.
struct RecordPage {
  /// The last record of a page: its id, and its value of the field that is sorted by.
  struct Position {
    var id: RecordID
    var value: FieldValue
  }

  let records: [RecordImage]
  /// Nil: there are no more records.
  let next: Position?

  /// - Parameter query: Without offset and limit, and with at most one sort key, a field of the entity itself.
  init(
    _ query: RecordQuery, after position: Position?, count: Int, in snapshot: borrowing StoreSnapshot
  ) throws {
    let steps = try RecordPage.steps(query, after: position, in: snapshot.catalogue)
    var found: [RecordImage] = []
    for var step in steps where found.count <= count {
      // One more than is shown tells whether there is another page.
      step.limit = count + 1 - found.count
      found += try snapshot.images(step)
    }
    records = Array(found.prefix(count))
    guard found.count > count, let last = records.last else {
      next = nil
      return
    }
    let field = try query.sort.first.map { try RecordPage.field($0, of: query.entity, in: snapshot.catalogue) }
    let entity = snapshot.catalogue.entities[last.entity]
    let own = field.flatMap { entity.field(named: $0.name) }
    next = Position(id: last.id, value: own.map { last.value(of: $0) } ?? .null)
  }

  /// The queries whose results, one behind the other, are all that follows a position.
  static func steps(
    _ query: RecordQuery, after position: Position?, in catalogue: Catalogue
  ) throws -> [RecordQuery] {
    guard let position else { return [query] }
    guard let key = query.sort.first else {
      var rest = query
      rest.behind = position.id
      return [rest]
    }
    let type = try field(key, of: query.entity, in: catalogue).type
    let band = SortBand(position.value)
    var ties = query
    ties.sort = []
    ties.behind = position.id
    let isTied =
      band == .values ? .compare(key.path, .equal, position.value) : band.filter(key.path, type) ?? .none
    ties.filter = .and([query.filter, isTied])
    let beyond = RecordFilter.compare(key.path, key.isDescending ? .less : .greater, position.value)
    let bands = [SortBand.null, .values, .notANumber]
      .filter { key.isDescending ? $0 < band : $0 > band }
      .sorted { key.isDescending ? $0 > $1 : $0 < $1 }
    let rest = (band == .values ? [beyond] : []) + bands.compactMap { $0.filter(key.path, type) }
    return [ties]
      + rest.map { filter in
        var step = query
        step.filter = .and([query.filter, filter])
        return step
      }
  }

  private static func field(
    _ key: RecordQuery.SortKey, of entity: EntityNumber, in catalogue: Catalogue
  ) throws -> CatalogueField {
    guard key.path.ordinals.count == 1 else {
      throw PageRefusal("the page sorts by fields of the entity itself; 'tandem query --sort' follows paths")
    }
    return catalogue.entities[entity].fields[key.path.ordinals[0]]
  }
}

extension RecordPage.Position {
  /// `{"id":…,"value":…}`, as the page gives it back.
  init(json: JSON, type: FieldType?) throws {
    guard let id = json["id"]?.stringValue.flatMap({ RecordID($0) }),
      let value = type.map({ FieldValue(programJSON: json["value"] ?? .null, type: $0) }) ?? .null
    else { throw PageRefusal("the place where the page begins is none of this list; go back to the first page") }
    (self.id, self.value) = (id, value)
  }

  var json: JSON { ["id": .string(id.description), "value": value.programJSON] }
}

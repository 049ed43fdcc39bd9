import RecordStore

/// The records of live results in their order, and where each of them stands.
///
/// A record stands near the place that was noted for it, no further away than places have come and gone since, so that
/// finding it takes a look-up and no pass over the others. The places are noted anew when looking around for records
/// has taken as long as that takes.
struct ResultPlaces {
  private(set) var identifiers: [RecordID]
  /// Where each record stood at some time since it came; nil until a record is looked for.
  private var noted: [RecordID: Int]?
  /// How far a record may stand from its noted place.
  private var drift = 0
  /// How many identifiers were compared since the places were noted.
  private var comparisons = 0

  /// So many comparisons take about as long as noting one place, which hashes.
  private static let comparisonsOfOneNote = 64

  init(_ identifiers: [RecordID] = []) { self.identifiers = identifiers }

  /// Where a record stands; nil if it is none of these.
  mutating func place(of id: RecordID) -> Int? {
    prepare(toFind: 1)
    return find(id)
  }

  /// Where those of the records stand that are among these, rising.
  mutating func places(of ids: Set<RecordID>) -> [Int] {
    prepare(toFind: ids.count)
    var places: [Int] = []
    for id in ids { if let place = find(id) { places.append(place) } }
    return places.sorted()
  }

  /// Takes the records of an edit out, and puts `others` in.
  mutating func apply(_ edit: ListEdit, _ others: [RecordID]) {
    if noted != nil {
      for place in edit.removals { noted?[identifiers[place]] = nil }
      for (place, id) in zip(edit.insertions, others) { noted?[id] = place }
      drift += max(edit.removals.count, edit.insertions.count)
    }
    edit.apply(to: &identifiers, others)
  }

  private mutating func prepare(toFind count: Int) {
    let (most, isMore) = count.multipliedReportingOverflow(by: drift)
    guard noted == nil || isMore || comparisons + most > identifiers.count * Self.comparisonsOfOneNote else { return }
    var places: [RecordID: Int] = [:]
    places.reserveCapacity(identifiers.count)
    for place in identifiers.indices { places[identifiers[place]] = place }
    (noted, drift, comparisons) = (places, 0, 0)
  }

  /// Looks at the noted place, and then at those beside it, the nearest first.
  private mutating func find(_ id: RecordID) -> Int? {
    guard let near = noted?[id] else { return nil }
    for distance in 0...drift {
      comparisons += 1
      if near + distance < identifiers.count, identifiers[near + distance] == id { return near + distance }
      if distance <= near, near - distance < identifiers.count, identifiers[near - distance] == id {
        return near - distance
      }
    }
    return nil
  }
}

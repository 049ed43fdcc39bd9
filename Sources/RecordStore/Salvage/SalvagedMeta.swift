import Foundation
import LMDB

/// Header, state and catalogue of a store that may be damaged. Each has a checksum, so each is known wherever it
/// lies: in its table, or else in an older state of its page. A catalogue only grows, so an older one reads all that
/// it names.
struct SalvagedMeta {
  private(set) var header: StoreHeader?
  private(set) var catalogue: Catalogue?
  /// The state of the table alone: an older one would not fit the records.
  private(set) var state: StoreState?
  /// The last number of a newer state, whose pages are there and which no meta page leads to; nil where there is none.
  private(set) var laterNumber: UInt64?

  init(_ url: URL) throws {
    var current = Found(path: url.path)
    var former = Found(path: url.path)
    _ = try DataFileSurvey.run(directory: url.path, includingStrays: true) { place, key, value in
      switch place {
      case .table(NamedDatabases.Name.meta), .list, .lost: try current.take(key, value)
      case .table: return
      case .former: try former.take(key, value)
      }
    }
    header = current.header ?? former.header
    catalogue = current.catalogue ?? former.catalogue
    state = current.state
    if let state, let later = former.state, state.lastNumber < later.lastNumber { laterNumber = later.lastNumber }
  }

  private struct Found {
    let path: String
    var header: StoreHeader?
    var catalogue: Catalogue?
    var state: StoreState?

    mutating func take(_ key: RawBytes, _ value: RawBytes) throws {
      guard key.count <= StoreState.key.count else { return }
      do {
        switch key.copied() {
        case StoreHeader.key: header = try StoreHeader(decoding: value, path: path)
        case StoreState.key, StoreState.formerKey:
          let found = try StoreState(decoding: value)
          if found.lastNumber >= state?.lastNumber ?? 0 { state = found }
        case CatalogueTable.key:
          guard try CatalogueTable.generation(in: value) >= catalogue?.generation ?? 0 else { return }
          catalogue = try CatalogueTable.decode(value)
        default: return
        }
      } catch let error as StoreError where [.damaged, .notAStore].contains(error.code) {
        // Another table's key of the same name, or damage.
        return
      }
    }
  }
}

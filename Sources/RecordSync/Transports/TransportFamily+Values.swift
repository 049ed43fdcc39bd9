import Foundation
import RecordStore

extension TransportFamily {
  /// The path of a listed file that may hold a value: one of the right length, which was not fetched in vain before.
  func path(of value: ExternalReference, _ declined: DeclinedFiles) -> String? {
    replicas.lazy.map { path(remote.file(value, of: $0)) }.first { path in
      listing.byteCounts(of: path).contains(remote.byteCount(of: value))
        && declined.reason(for: path, look(of: [path])) == nil
    }
  }

  /// Listed files of values that the device's store awaits. `chosen`: the digests of those that are to come; nil: all.
  func valueArrivals(
    of store: RecordStore, among chosen: Set<String>?, _ declined: DeclinedFiles
  ) throws -> [(value: ExternalReference, path: String)] {
    try store.read { try $0.listedValues() }.filter(\.isAwaited).map(\.reference)
      .filter { chosen?.contains($0.name) ?? true }
      .compactMap { value in path(of: value, declined).map { (value, $0) } }
  }

  /// The values that the store has and the place lacks.
  func valueDepartures(of store: RecordStore, _ declined: DeclinedFiles) throws -> [ExternalReference] {
    guard let external = store.externalFolder else { return [] }
    return try store.read { try $0.listedValues() }.map(\.reference).filter { value in
      try path(of: value, declined) == nil && external.has(value)
    }
  }

  /// The paths of own values at the place that nobody needs any more.
  func obsoleteValues(of store: RecordStore, at place: String) throws -> [String] {
    let replica = try store.read { try $0.replica }
    let there = listing.files(in: path(remote.values(of: replica))).keys.compactMap(remote.valueName)
    let candidates = Set(there).subtracting(try store.read { try $0.listedValues() }.map(\.reference.name))
    return try ValueExchange(store: store).unneeded(candidates, at: "\(place)\n\(self.place)", heads: own)
      .map { path(remote.file(named: $0, of: replica)) }
  }

  /// Lays a value into the folder from which it is brought, sealed where the family has a key. Returns its path; nil
  /// where it is gone.
  func stage(_ value: ExternalReference, of store: RecordStore, in folder: URL) throws -> String? {
    guard let data = store.externalFolder?.data(of: value) else { return nil }
    let replica = try store.read { try $0.replica }
    try place.exchangeFolder(in: folder, key: remote.seal?.key).publish(data, value, of: replica)
    return path(remote.file(value, of: replica))
  }
}

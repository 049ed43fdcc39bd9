import Foundation
import RecordStore

extension TransportFamily {
  /// The path of a listed file that may hold a value, or a piece of one: of the right length, and not fetched in vain
  /// before.
  func path(of slice: ValueSlice, _ declined: DeclinedFiles) -> String? {
    replicas.lazy.map { path(remote.file(slice, of: $0)) }.first { path in
      listing.byteCounts(of: path).contains(remote.byteCount(of: slice))
        && declined.reason(for: path, look(of: [path])) == nil
    }
  }

  /// Listed files of values that the device's store awaits: all of a value, or the pieces that follow what has come.
  /// `chosen`: the digests of those that are to come; nil: all.
  func valueArrivals(
    of store: RecordStore, among chosen: Set<String>?, _ declined: DeclinedFiles
  ) throws -> [(slice: ValueSlice, path: String)] {
    guard let external = store.externalFolder else { return [] }
    return try store.read { try $0.listedValues() }.filter(\.isAwaited).map(\.reference)
      .filter { chosen?.contains($0.name) ?? true }
      .flatMap { value -> [(slice: ValueSlice, path: String)] in
        if let path = path(of: ValueSlice(value), declined) { return [(ValueSlice(value), path)] }
        // The last piece is fetched again where the run ended before the value had its place.
        let arrived = min(external.arrivedByteCount(of: value), value.valueByteCount - 1)
        var following: [(slice: ValueSlice, path: String)] = []
        for slice in ValueSlice.pieces(of: value).dropFirst(arrived / ValueSlice.pieceBytes) {
          guard let path = path(of: slice, declined) else { break }
          following.append((slice, path))
        }
        return following
      }
  }

  /// The values that the store has and the place lacks: what is larger than a piece in pieces.
  func valueDepartures(of store: RecordStore, _ declined: DeclinedFiles) throws -> [ValueSlice] {
    guard let external = store.externalFolder else { return [] }
    return try store.read { try $0.listedValues() }.map(\.reference).flatMap { value -> [ValueSlice] in
      let (whole, pieces) = (ValueSlice(value), ValueSlice.pieces(of: value))
      guard try path(of: whole, declined) == nil && external.has(value) else { return [] }
      return pieces.isEmpty ? [whole] : pieces.filter { path(of: $0, declined) == nil }
    }
  }

  /// The paths of own values at the place that nobody needs any more.
  func obsoleteValues(of store: RecordStore, at place: String) throws -> [String] {
    let replica = try store.read { try $0.replica }
    let folder = path(remote.values(of: replica))
    let there = Dictionary(grouping: listing.files(in: folder).keys) { remote.valueName($0) }
    let candidates = Set(there.keys.compactMap(\.self))
      .subtracting(try store.read { try $0.listedValues() }.map(\.reference.name))
    return try ValueExchange(store: store).unneeded(candidates, at: "\(place)\n\(self.place)", heads: own)
      .flatMap { there[$0] ?? [] }.map { "\(folder)/\($0)" }
  }

  /// Lays a value, or a piece of it, into the folder from which it is brought, sealed where the family has a key.
  /// Returns its path; nil where the value is gone.
  func stage(_ slice: ValueSlice, of store: RecordStore, in folder: URL) throws -> String? {
    guard let data = store.externalFolder?.data(of: slice.value) else { return nil }
    let replica = try store.read { try $0.replica }
    try place.exchangeFolder(in: folder, key: remote.seal?.key).publish(data, slice, of: replica)
    return path(remote.file(slice, of: replica))
  }
}

import LMDB

/// A large value that files of the exchange name, in the list that the store keeps of them: whether its bytes are here.
///
/// An attachment: `sync/value/` · digest (32). Its value: format u8 (1) · state u8 (1 here, 2 awaited) ·
/// length of the value u64 · replica u64, the author of the file that named it first. An entry is made in the
/// commit that merges or exports the first file which names the value. So nobody has to look through the tables for
/// what is awaited.
///
/// Beside the list, `sync/arrivals` · u64 counts the commits that noted that awaited values have come. They are no
/// transactions of history, so observers of values hear of them by the count.
package struct ListedValue: Hashable, Sendable {
  package static let prefix = Array("sync/value/".utf8)
  fileprivate static let arrivals = Array("sync/arrivals".utf8)
  private static let format: UInt8 = 1

  package let reference: ExternalReference
  /// Whether the bytes have not come yet.
  package var isAwaited: Bool
  /// The author of the file that named it first here.
  package let author: ReplicaID

  package init(_ reference: ExternalReference, isAwaited: Bool, author: ReplicaID) {
    (self.reference, self.isAwaited, self.author) = (reference, isAwaited, author)
  }

  package static func key(of reference: ExternalReference) -> [UInt8] { prefix + reference.digest }

  package var attachment: StoreAttachment {
    let value = [UInt8](byteCount: 18) { writer in
      writer.write(Self.format)
      writer.write(UInt8(isAwaited ? 2 : 1))
      writer.write(UInt64(reference.valueByteCount))
      writer.write(author.value)
    }
    return StoreAttachment(key: Self.key(of: reference), value: value)
  }

  /// The attachment that takes the entry away.
  package var removal: StoreAttachment { StoreAttachment(key: Self.key(of: reference), value: nil) }

  /// Nil for what is no entry that this build knows.
  init?(key: [UInt8], value: [UInt8]) {
    guard key.count == Self.prefix.count + 32, value.count == 18, value[0] == Self.format, (1...2).contains(value[1])
    else { return nil }
    let (length, author) = value.withRawBytes {
      ($0.load(at: 2, as: UInt64.self), ReplicaID($0.load(at: 10, as: UInt64.self)))
    }
    guard let reference = ExternalReference(digest: Array(key.dropFirst(Self.prefix.count)), byteCount: length) else {
      return nil
    }
    (self.reference, isAwaited, self.author) = (reference, value[1] == 2, author)
  }
}

extension StoreSnapshot {
  /// The large values that files of the exchange name, in order of their digests.
  package func listedValues() throws -> [ListedValue] {
    var values: [ListedValue] = []
    try forEachAttachment(prefix: ListedValue.prefix) { key, value in
      if let listed = ListedValue(key: key, value: value) { values.append(listed) }
      return true
    }
    return values
  }

  /// How many commits have noted that awaited values have come.
  package var valueArrivals: UInt64 {
    get throws {
      guard let value = try attachment(ListedValue.arrivals), value.count == 8 else { return 0 }
      return value.withRawBytes { $0.load(at: 0, as: UInt64.self) }
    }
  }

  /// To be written in a commit that notes that awaited values have come.
  package var nextValueArrivals: StoreAttachment {
    get throws {
      let count = try valueArrivals &+ 1
      return StoreAttachment(key: ListedValue.arrivals, value: [UInt8](byteCount: 8) { $0.write(count) })
    }
  }

  package func listedValue(_ reference: ExternalReference) throws -> ListedValue? {
    let key = ListedValue.key(of: reference)
    return try attachment(key).flatMap { ListedValue(key: key, value: $0) }
  }
}

import LMDB

/// The place of a store when it last made sure of its identity. One value of table `meta`.
///
/// ```
/// format u8 · CRC-32C u32 of all after it · number of data.mdb u64 · its creation in milliseconds since 1970 u64
/// incarnation u64 that the identity file may still name without harm
/// ```
struct NotedPlace: Hashable, Sendable {
  static let key = [UInt8]("place".utf8)
  private static let format: UInt8 = 1
  private static let byteCount = 29

  var place: StorePlace
  /// The incarnation before the present one: the identity file names it until it is written again.
  var replaced: UInt64

  func encoded() -> [UInt8] {
    [UInt8](byteCount: NotedPlace.byteCount) { writer in
      writer.write(NotedPlace.format)
      writer.write(0 as UInt32)
      writer.write(place.inode)
      writer.write(place.createdAtMilliseconds)
      writer.write(replaced)
      let written = RawBytes(writer.written)
      writer.patch(written.slice(5..<written.count).checksum, at: 1)
    }
  }

  init(place: StorePlace, replaced: UInt64) {
    self.place = place
    self.replaced = replaced
  }

  /// Throws `damaged`.
  init(decoding bytes: RawBytes) throws {
    var reader = ByteReader(bytes, subject: "the place of the store")
    guard bytes.count == NotedPlace.byteCount, try reader.read(as: UInt8.self) == NotedPlace.format else {
      throw reader.damaged("its form is unknown")
    }
    guard try reader.read(as: UInt32.self) == bytes.slice(5..<bytes.count).checksum else {
      throw reader.damaged("its checksum is wrong")
    }
    place = StorePlace(inode: try reader.read(), createdAtMilliseconds: try reader.read())
    replaced = try reader.read()
  }
}

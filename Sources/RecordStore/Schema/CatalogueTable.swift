import Foundation
import LMDB

/// The catalogue in table `meta`: generation u64 · CRC-32C u32 of all after it · format u8 (3) · JSON.
///
/// Until format 3 there was no format byte, and JSON's brace stood in its place. A process with an older build that has
/// the store open while it becomes one of format 3 reads the catalogue anew, for its generation has risen, and cannot:
/// so that its readers, too, learn that there is a newer format, and do not go on with a state that stands still.
enum CatalogueTable {
  static let key = [UInt8]("catalogue".utf8)
  private static let format: UInt8 = 3
  /// The format of a store that has values beside it, which earlier builds refuse by it.
  private static let externalFormat: UInt8 = 4
  private static let bodyOffset = 12

  private struct Decoded: Sendable {
    let bytes: [UInt8]
    let catalogue: Catalogue
  }

  private static let decoded = RecentResults<Decoded>()

  /// The generation alone: eight bytes, so each snapshot can be compared with what is known.
  static func generation(in bytes: RawBytes) throws -> UInt64 {
    guard bytes.count > bodyOffset else { throw damaged("it is cut short") }
    return bytes.load(at: 0, as: UInt64.self)
  }

  static func decode(_ bytes: RawBytes) throws -> Catalogue {
    if let known = decoded.first(where: { known in known.bytes.withRawBytes { $0 == bytes } }) {
      return known.catalogue
    }
    let catalogue = try read(bytes)
    decoded.add(Decoded(bytes: bytes.copied(), catalogue: catalogue))
    return catalogue
  }

  private static func read(_ bytes: RawBytes) throws -> Catalogue {
    let generation = try generation(in: bytes)
    let body = bytes.slice(bodyOffset..<bytes.count)
    guard body.checksum == bytes.load(at: 8, as: UInt32.self) else { throw damaged("its checksum is wrong") }
    let json = try json(in: body)
    var catalogue = try CatalogueReader.read(json) ?? decodeAnyhow(json)
    catalogue.hasExternalValues = body.load(at: 0, as: UInt8.self) == externalFormat
    guard catalogue.generation == generation, catalogue.isSound else { throw damaged("it contradicts itself") }
    return catalogue
  }

  /// The bytes behind the format byte, if there is one.
  private static func json(in body: RawBytes) throws -> RawBytes {
    let found = body.load(at: 0, as: UInt8.self)
    if found == UInt8(ascii: "{") { return body }
    guard found == format || found == externalFormat else {
      throw StoreError(
        .newerFormat, "the catalogue has format \(found), this build reads up to \(externalFormat): update the app")
    }
    return body.slice(1..<body.count)
  }

  static func decodeAnyhow(_ json: RawBytes) throws -> Catalogue {
    do {
      return try JSONDecoder().decode(Catalogue.self, from: Data(json.buffer))
    } catch {
      throw StoreError(
        .newerFormat, "the catalogue has a form that this build cannot read: update the app", cause: error)
    }
  }

  static func encode(_ catalogue: Catalogue) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let json = [UInt8](try encoder.encode(catalogue))
    return [UInt8](byteCount: bodyOffset + 1 + json.count) { writer in
      writer.write(catalogue.generation)
      writer.write(0 as UInt32)
      writer.write(catalogue.hasExternalValues ? externalFormat : format)
      json.withUnsafeBytes { writer.write($0) }
      let written = RawBytes(writer.written)
      writer.patch(written.slice(bodyOffset..<written.count).checksum, at: bodyOffset - 4)
    }
  }

  private static func damaged(_ flaw: String) -> StoreError {
    StoreError(.damaged, "the catalogue of the store is damaged (\(flaw)): restore the store from a copy or by sync")
  }
}

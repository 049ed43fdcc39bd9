import Foundation

/// The bytes of a catalog's file, no more than a limit of them.
enum CatalogFile {
  static let maximumLengthBytes = 4 * 1024 * 1024

  static func read(_ url: URL) throws -> Data {
    do {
      let file = try FileHandle(forReadingFrom: url)
      defer { try? file.close() }
      return try file.read(upToCount: maximumLengthBytes + 1) ?? Data()
    } catch {
      throw CatalogError(
        .unreadable, "cannot read \(url.lastPathComponent); check that it is there and may be read", cause: error)
    }
  }

  static func decode<Value: Decodable>(_: Value.Type, from data: Data, _ name: String) throws -> Value {
    guard data.count <= maximumLengthBytes else {
      throw CatalogError(.tooLarge, "the \(name) is longer than \(maximumLengthBytes) bytes")
    }
    do {
      return try JSONDecoder().decode(Value.self, from: data)
    } catch {
      throw CatalogError(
        .malformed, "the \(name) is not JSON of the documented shape; mend or export it again", cause: error)
    }
  }
}

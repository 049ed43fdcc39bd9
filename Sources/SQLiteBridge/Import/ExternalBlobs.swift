import Foundation
import StoreInspection

/// Large values that Core Data keeps in files beside the store.
///
/// An attribute that allows it has one byte before each value: 1, and the value follows; 2, and the name of a file in
/// `.NAME_SUPPORT/_EXTERNAL_DATA` follows, a UUID as text with a NUL.
struct ExternalBlobs {
  private static let maximumBytes = 512 << 20
  private let folder: URL

  /// The files of the store at a place.
  init(besides url: URL) {
    let name = url.deletingPathExtension().lastPathComponent
    folder = url.deletingLastPathComponent().appendingPathComponent(".\(name)_SUPPORT/_EXTERNAL_DATA")
  }

  func content(_ bytes: Data, _ place: InputPlace) throws -> Data {
    switch bytes.first {
    case nil: return bytes
    case 1: return Data(bytes.dropFirst())
    case 2:
      guard let name = ExternalBlobs.fileName(bytes) else {
        throw BridgeError(
          .wrongValue, "\(place) names a file beside the store in a way that is not known: open it with its app")
      }
      return try read(name, place)
    default:
      throw BridgeError(.wrongValue, "\(place) has bytes that are no value with a mark before it: open it with its app")
    }
  }

  /// A UUID alone, so that no name leads out of the folder.
  static func fileName(_ bytes: Data) -> String? {
    let name = String(decoding: bytes.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
    return UUID(uuidString: name) == nil ? nil : name
  }

  private func read(_ name: String, _ place: InputPlace) throws -> Data {
    let path = folder.appendingPathComponent(name).path
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      guard attributes[.type] as? FileAttributeType == .typeRegular else {
        throw BridgeError(
          .wrongValue, "\(place) names \(path), which is no file: take the store's folder from a backup")
      }
      guard let size = attributes[.size] as? Int, size <= ExternalBlobs.maximumBytes else {
        throw BridgeError(.beyondLimits, "\(place) has a value of more than 512 MiB, which no record can hold")
      }
      return try Data(contentsOf: URL(fileURLWithPath: path))
    } catch let error as BridgeError {
      throw error
    } catch {
      throw BridgeError(
        .inputOutput, "\(place) names the file \(path), which cannot be read: copy the folder beside the store, too",
        cause: error)
    }
  }
}

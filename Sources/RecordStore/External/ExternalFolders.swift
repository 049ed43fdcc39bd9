package import Foundation
package import LMDB
import Synchronization

/// The folders of large values of all stores that this process has open.
///
/// A record's bytes do not say in which store they lie. They need not: a reference names a value by its bytes, so
/// whichever folder has a file of that name has the value. The folder that had the last value is asked first.
package enum ExternalFolders {
  private static let folders = Mutex<[ExternalFolder]>([])

  static func add(_ folder: ExternalFolder) { folders.withLock { $0.append(folder) } }

  static func remove(_ folder: ExternalFolder) {
    folders.withLock { folders in
      if let place = folders.firstIndex(of: folder) { folders.remove(at: place) }
    }
  }

  /// The value that a reference names, as a mapped file; nil where no open store has it.
  package static func data(of reference: ExternalReference) -> Data? {
    for (place, folder) in folders.withLock({ $0 }).enumerated() {
      guard let data = folder.data(of: reference) else { continue }
      if place > 0 { prefer(folder) }
      return data
    }
    return nil
  }

  /// Whether an open store has the value that a reference names: a look at its file, which is not opened.
  package static func has(_ reference: ExternalReference) -> Bool { path(of: reference) != nil }

  /// The refusal of a value's file by the system: a device that fails, or too many open files. Nil where the file is
  /// only missing, or is there.
  package static func trouble(with reference: ExternalReference) -> StoreError? {
    for folder in folders.withLock({ $0 }) {
      if let trouble = folder.trouble(with: reference) { return trouble }
    }
    return nil
  }

  /// The path of a file that has the value; nil where no open store has it.
  package static func path(of reference: ExternalReference) -> String? {
    for folder in folders.withLock({ $0 }) {
      if let path = folder.readablePath(of: reference) { return path }
    }
    return nil
  }

  private static func prefer(_ folder: ExternalFolder) {
    folders.withLock { folders in
      if let place = folders.firstIndex(of: folder) { folders.swapAt(0, place) }
    }
  }

  /// A field of type `data` as readers see it: a copy of its bytes, or the mapped file that they name. Nil where that
  /// is missing.
  package static func content(of payload: RawBytes) -> Data? {
    guard ExternalReference.isOne(payload) else { return Data(payload.buffer) }
    return ExternalReference(payload: payload).flatMap(data)
  }
}

extension FieldValue {
  /// A value as readers see it: itself, or that which it refers to. Nil where its file is missing.
  package var resolved: FieldValue? {
    guard let reference = ExternalReference(stored: self) else { return self }
    return ExternalFolders.data(of: reference).map { .data($0) }
  }
}

import Foundation
import RecordStore

/// Where a store goes that is known by name.
struct StorePlace {
  let name: String
  let url: URL
  let problem: ModelConfiguration.Problem?

  /// The URL of a store in memory, as with SwiftData. Such a store has no file there, and shares nothing with another.
  private static let memory = URL(fileURLWithPath: "/dev/null", isDirectory: false)

  /// `<group folder>/<name>.store`; without a group `<root>/<app identity>/<name>.store`, so that two apps of
  /// one user never share a default store.
  init(name: String?, isStoredInMemoryOnly: Bool, group: String?, root: URL?) {
    let name = name ?? "default"
    self.name = name
    if isStoredInMemoryOnly {
      (url, problem) = (Self.memory, nil)
      return
    }
    do {
      try Self.check(name)
      let folder = try GroupContainer(identifier: group ?? Self.appIdentity, root: root).directory
      (url, problem) = (folder.appending(path: "\(name).store", directoryHint: .isDirectory), nil)
    } catch {
      // Nothing can be made there.
      url = URL(fileURLWithPath: "/dev/null/\(RecordIDGenerator.shared.next())")
      problem = ModelConfiguration.Problem(error: error)
    }
  }

  /// The app's bundle identifier; a program without one goes by its executable's name.
  static var appIdentity: String {
    if let identifier = Bundle.main.bundleIdentifier { return identifier }
    let program = ProcessInfo.processInfo.processName.map {
      $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "-"
    }
    return "app." + String(program.prefix(60))
  }

  private static func check(_ name: String) throws {
    guard name.utf8.count <= 100 else {
      throw SwiftDataError(
        .configurationFileNameTooLong, "a store's name has at most 100 bytes; this one has \(name.utf8.count)")
    }
    let isPlain = !name.isEmpty && !name.hasPrefix(".") && !name.contains { $0 == "/" || $0 == "\\" || $0 == "\0" }
    guard isPlain else {
      throw SwiftDataError(
        .configurationFileNameContainsInvalidCharacters,
        "\(name.debugDescription) can not name a store; use letters, digits, spaces, hyphens and dots, "
          + "without a dot at the front")
    }
  }
}

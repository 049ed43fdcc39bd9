package import Foundation

/// The folder that the processes of one group share, found by the group's identifier.
///
/// On Linux: `<root>/<group identifier>/`. The root is the one given, else `TANDEM_CONTAINER_ROOT`, where a relative
/// path counts from the folder in which the process began to ask, else `$XDG_DATA_HOME/tandem`, else
/// `~/.local/share/tandem`.
package struct GroupContainer: Sendable, Hashable {
  /// Longer ones would not leave room for file names below them everywhere.
  package static let maximumIdentifierBytes = 128

  package let identifier: String
  package let root: URL

  /// Throws `invalidIdentifier` for anything but a reverse-DNS name: no such name leads out of the root.
  package init(
    identifier: String, root: URL? = nil, environment: (String) -> String? = Self.variable
  ) throws {
    try Self.validate(identifier)
    self.identifier = identifier
    self.root = root ?? Self.defaultRoot(environment)
  }

  /// Where the folder is, whether it exists or not.
  package var directory: URL { root.appendingPathComponent(identifier, isDirectory: true) }

  /// The folder, made for this user alone if it is missing.
  package func createDirectory() throws -> URL {
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw StoreError(
        .permissionDenied,
        "cannot create the group container at \(directory.path); make its parent folder writable for this user, or "
          + "set TANDEM_CONTAINER_ROOT to one that is",
        cause: error)
    }
    return directory
  }

  /// One variable of this process: a copy of all of them would take longer than the rest of a container.
  package static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// Taken once: a process that goes to another folder keeps its containers.
  private static let startingFolder = URL(
    fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)

  private static func defaultRoot(_ environment: (String) -> String?) -> URL {
    func folder(_ variable: String) -> URL? {
      // The XDG specification ignores relative paths.
      environment(variable).flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0, isDirectory: true) : nil }
    }
    if let root = environment("TANDEM_CONTAINER_ROOT"), !root.isEmpty {
      return URL(fileURLWithPath: root, isDirectory: true, relativeTo: startingFolder).standardizedFileURL
    }
    if let data = folder("XDG_DATA_HOME") { return data.appendingPathComponent("tandem", isDirectory: true) }
    let home = folder("HOME") ?? FileManager.default.homeDirectoryForCurrentUser
    return home.appendingPathComponent(".local/share/tandem", isDirectory: true)
  }

  private static func validate(_ identifier: String) throws {
    let parts = identifier.split(separator: ".", omittingEmptySubsequences: false)
    let isName = parts.count >= 2 && parts.allSatisfy(isPart)
    guard isName, identifier.utf8.count <= maximumIdentifierBytes else {
      throw StoreError(
        .invalidIdentifier,
        "\(identifier.debugDescription) is not a group identifier; use a reverse-DNS name such as "
          + "group.org.example.app, of letters, digits and hyphens between single dots, at most "
          + "\(maximumIdentifierBytes) characters")
    }
  }

  private static func isPart(_ part: Substring) -> Bool {
    !part.isEmpty && part.utf8.count <= 63
      && part.utf8.allSatisfy {
        switch $0 {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
      }
  }
}

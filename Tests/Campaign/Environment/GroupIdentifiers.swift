import Foundation
import RecordStore

/// Names that try to lead out of the folder of all groups.
enum GroupIdentifiers {
  private static let hostile = [
    "", ".", "..", "../x", "../../etc.passwd", "/abs.olute", "a/../b.c", "a.b/c", "a.b/", "a\\b.c", ".hidden.x", "x.",
    "a..b", "a.b\0c", "a.b\n", "a b.c", "~.x", "~root.x", "$HOME.x", "a.b:c", "a.b;c", "ä.b", "a.\u{202E}b",
    "a.b\u{0301}",
    String(repeating: "a", count: 64) + ".b", "a." + String(repeating: "b.", count: 100) + "c",
    String(repeating: "x", count: 100_000) + ".y",
  ]

  static let cases = [
    EnvironmentCase(name: "group identifiers that try to escape") { stage in
      let root = try stage.makeFolder("root/inner")
      let before = try FileManager.default.subpathsOfDirectory(atPath: stage.folder.path).count
      for identifier in hostile {
        do {
          let made = try GroupContainer(identifier: identifier, root: root).createDirectory()
          throw Finding("\(identifier.debugDescription.prefix(80)) was taken, as \(made.path)")
        } catch let error as StoreError where error.code == .invalidIdentifier {
          continue
        }
      }
      guard try FileManager.default.subpathsOfDirectory(atPath: stage.folder.path).count == before else {
        throw Finding("a refused identifier has made something")
      }
      _ = try GroupContainer(identifier: "group.org.example.app", root: root).createDirectory()
    }
  ]
}

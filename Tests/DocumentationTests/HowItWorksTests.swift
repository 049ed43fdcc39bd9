import Foundation
import Testing

/// What the article HowItWorks says of folders and pictures.
struct HowItWorksTests {
  private let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  @Test(arguments: ["RecordStore", "RecordSync", "Tandem"])
  func `every folder of a module is a room, and every room a folder`(module: String) throws {
    let article = try text("Sources/Tandem/Tandem.docc/HowItWorks.md")
    let section = try #require(article.components(separatedBy: "\n### \(module)\n").dropFirst().first)
    let table = section.components(separatedBy: "\n#")[0]
    let rooms = table.matches(of: /\n\| ([A-Z][A-Za-z]+) \|/).map { String($0.1) }
    let folder = root.appending(path: "Sources/\(module)")
    let folders = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.hasDirectoryPath && $0.pathExtension.isEmpty }.map(\.lastPathComponent)
    #expect(rooms.sorted() == folders.sorted())
  }

  @Test func `the dark picture differs from the light one in its colours alone`() throws {
    func drawing(_ name: String) throws -> [String] {
      let text = try text("Sources/Tandem/Tandem.docc/Resources/\(name).svg")
      let parts = text.components(separatedBy: "<style>")
      return try [parts[0], #require(parts.last?.components(separatedBy: "</style>").last)]
    }
    #expect(try drawing("how-it-works") == drawing("how-it-works~dark"))
  }
}

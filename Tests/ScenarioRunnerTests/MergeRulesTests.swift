import Foundation
import Testing

/// The article that says what merging does, and the scenarios that show it, name each other.
struct MergeRulesTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL

  private let article: String
  private let files: Set<String>

  init() throws {
    article = try String(
      contentsOf: MergeRulesTests.root.appending(path: "Sources/RecordSync/RecordSync.docc/MergeRules.md"),
      encoding: .utf8)
    files = Set(
      try FileManager.default.contentsOfDirectory(
        atPath: MergeRulesTests.root.appending(path: "SyncFixtures/scenarios").path
      ).filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) })
  }

  private var named: Set<String> { Set(article.matches(of: /\b[A-Z][0-9]{2}\b/).map { String($0.output) }) }

  /// Letters that the section on families lists.
  private var families: Set<Character> {
    guard let section = article.firstRange(of: "### Families"), let end = article.firstRange(of: "## What lost") else {
      return []
    }
    let text = article[section.upperBound..<end.lowerBound]
    return Set(text.matches(of: /`([A-Z])`/).compactMap { $0.output.1.first })
  }

  /// Scenarios of families that other parts of the work bring are named here before their files are there.
  private static let announced: Set<String> = ["S17", "S19", "S31", "S86", "S92"]

  @Test func `every scenario that the article names is there`() {
    #expect(named.count > 100)
    #expect(named.subtracting(files).subtracting(MergeRulesTests.announced).sorted() == [])
  }

  @Test func `every scenario is named by the article or belongs to a family that it lists`() {
    #expect(families.count >= 4)
    let forgotten = files.filter { !named.contains($0) && !families.contains($0.first ?? " ") }
    #expect(forgotten.sorted() == [])
  }
}

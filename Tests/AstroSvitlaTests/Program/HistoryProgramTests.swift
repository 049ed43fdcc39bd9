import Foundation
import Testing

/// `astrosvitla history`: what was bought, what it was spent for, what was put aside.
@Suite struct HistoryProgramTests {
  private func run(_ folder: URL, _ words: String) throws -> ProgramRun {
    try ProgramRun(["astrosvitla"] + words.split(separator: " ").map(String.init), in: folder)
  }

  /// A pack of five, of which two were spent for two charts, one of them of a profile.
  private func withSpending(_ body: (URL) throws -> Void) throws {
    try withDevices("phone") { folder in
      let birth = "--date 1991-08-24 --time 07:45 --place Kyiv --device phone"
      #expect(try run(folder, "buy pack5 --device phone").code == 0)
      #expect(try run(folder, "chart add Olena --profile Mother \(birth)").code == 0)
      #expect(try run(folder, "chart add Taras \(birth)").code == 0)
      #expect(try run(folder, "report generate Olena --area career --device phone").code == 0)
      #expect(try run(folder, "report generate Taras --area wellness --device phone").code == 0)
      try body(folder)
    }
  }

  @Test func `what credits were spent for is listed with chart, profile and credit, the newest first`() throws {
    try withSpending { folder in
      let spent = try run(folder, "history --consumptions --device phone")
      let lines = spent.output.split(separator: "\n")
      #expect(spent.code == 0 && lines.count == 3, "\(spent)")
      #expect(lines[1].contains("Wellness") && lines[1].contains("Taras  –") && lines[1].hasSuffix("  0/1"))
      #expect(lines[2].contains("Career") && lines[2].contains("Olena  Mother") && lines[2].hasSuffix("  0/0"))
      let second = try run(folder, "history --consumptions --limit 1 --offset 1 --device phone")
      #expect(second.output.contains("Career") && !second.output.contains("Wellness"), "\(second)")
      let mothers = try run(folder, "history --consumptions --profile mother --device phone")
      #expect(mothers.output.contains("Olena") && !mothers.output.contains("Taras"))
      #expect(try run(folder, "history --consumptions --profile nobody --device phone").code == 1)
      let json = try run(folder, "history --consumptions --json --device phone")
      #expect(json.output.contains(#""chart" : "Olena""#) && json.output.contains(#""ordinal" : 0"#))
    }
  }

  @Test func `lists are read page by page, and the pages together are the list`() throws {
    try withSpending { folder in
      #expect(try run(folder, "buy single --device phone").code == 0)
      #expect(try run(folder, "chart add Adam --date 1991-08-24 --time 07:45 --place Kyiv --device phone").code == 0)
      for list in ["history", "history --consumptions", "chart list", "report list", "report list --profile mother"] {
        let all = try run(folder, "\(list) --json --device phone")
        let whole = try #require(JSONSerialization.jsonObject(with: Data(all.output.utf8)) as? [NSDictionary])
        var pages: [NSDictionary] = []
        for offset in 0...whole.count {
          let page = try run(folder, "\(list) --limit 1 --offset \(offset) --json --device phone")
          pages += try #require(JSONSerialization.jsonObject(with: Data(page.output.utf8)) as? [NSDictionary])
        }
        #expect(pages == whole && !whole.isEmpty, "\(list): \(pages)")
        #expect(try run(folder, "\(list) --limit 0 --device phone").code == 2)
      }
    }
  }

  @Test func `the trail of a purchase leads over its credits to their reports`() throws {
    try withSpending { folder in
      let trail = try run(folder, "history --trail 0 --device phone")
      #expect(trail.code == 0 && trail.output.contains("pack5"), "\(trail)")
      #expect(trail.output.components(separatedBy: "  spent  ").count == 3)
      #expect(trail.output.components(separatedBy: "  free").count == 4)
      #expect(try run(folder, "refund 0").code == 0)
      #expect(try run(folder, "open --device phone").code == 0)
      let refunded = try run(folder, "history --trail 0 --device phone --json")
      #expect(refunded.output.components(separatedBy: #""state" : "refunded""#).count == 4, "\(refunded)")
      #expect(refunded.output.components(separatedBy: #""state" : "consumed""#).count == 3)
      #expect(try run(folder, "history --trail 7 --device phone").code == 1)
    }
  }

  @Test func `a transaction that was put aside is listed with its reason`() throws {
    try withDevices("phone") { folder in
      #expect(try run(folder, "appstore fault token invalidSignature").code == 0)
      #expect(try run(folder, "buy single --device phone").code == 3)
      let aside = try run(folder, "history --put-aside --device phone")
      #expect(aside.code == 0 && aside.output.contains("the signature is not right"), "\(aside)")
      #expect(try run(folder, "history --device phone").output.split(separator: "\n").count == 1)
    }
  }

  @Test(arguments: [
    "--consumptions --put-aside", "--trail 0 --put-aside", "--profile x", "--trail 0 --from 2020-01-01",
    "--put-aside --limit 3",
  ])
  func `options that contradict each other end with 2`(options: String) throws {
    try withDevices("phone") { folder in
      let refused = try run(folder, "history \(options) --device phone")
      #expect(refused.code == 2, "\(refused)")
    }
  }
}

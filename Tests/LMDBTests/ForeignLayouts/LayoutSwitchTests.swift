import Foundation
import Testing

@testable import ForeignLayouts

/// What `TANDEM_FOREIGN_LAYOUTS` turns off, and what a failing self-test does. What holds for a process is tested in a
/// process of its own.
struct LayoutSwitchTests {
  @Test func `the variable takes off, and names between commas`() {
    let all = Set(ForeignLayout.Name.allCases)
    let expected: [(String, Set<ForeignLayout.Name>, [String])] = [
      ("", [], []), ("off", all, []), ("pages", [.pages], []), (" pages , codingKeys,", [.pages, .codingKeys], []),
      ("observation,off", all, []), ("Pages", [], ["Pages"]), ("on,decimals,page", [.decimals], ["on", "page"]),
    ]
    for (text, off, unknown) in expected {
      let read = LayoutSwitch(text)
      #expect(read.off == off, "\(text)")
      #expect(read.unknown == unknown, "\(text)")
      #expect((read.complaint == nil) == unknown.isEmpty, "\(text)")
    }
  }

  @Test func `a process reads the variable once, obeys it and complains about names that it does not know`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv(LayoutSwitch.variable, "predicates,page", 1)
      #expect(!ForeignLayout.predicates.isOn)
      unsetenv(LayoutSwitch.variable)
      #expect(ForeignLayout.pages.isOn && ForeignLayout.references.isOn)
      let test = LayoutTest(of: .predicates)
      #expect(!test.passes { true })
    }
    let said = Self.sentences(result)
    #expect(said.count == 1)
    #expect(
      said.first?.hasPrefix("Tandem: TANDEM_FOREIGN_LAYOUTS names 'page', which is ignored; it takes 'off'") == true)
  }

  @Test func `off turns all of them off without a word`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      setenv(LayoutSwitch.variable, "off", 1)
      let all: [ForeignLayout] = [
        .pages, .readers, .dirtyPages, .decimals, .observation, .predicates, .codingKeys, .references,
      ]
      #expect(all.map(\.name) == ForeignLayout.Name.allCases)
      #expect(!all.contains { $0.isOn })
    }
    #expect(Self.sentences(result).isEmpty)
  }

  @Test func `a failing self-test turns its bet off for the process and says so once`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      unsetenv(LayoutSwitch.variable)
      let test = LayoutTest(of: .pages)
      let other = LayoutTest(of: .pages)
      var runs = 0
      for _ in 0..<2 {
        // Nothing to see yet.
        #expect(
          test.passes {
            runs += 1; return nil
          })
      }
      #expect(
        other.passes {
          runs += 1; return true
        })
      #expect(
        other.passes {
          runs += 1; return false
        })
      #expect(runs == 3)
      #expect(!test.passes { false })
      #expect(!test.passes { true } && !other.passes { true })
      #expect(!ForeignLayout.pages.isOn && ForeignLayout.predicates.isOn)
      ForeignLayout.pages.settle(false)
      ForeignLayout.pages.settle(true)
      #expect(!ForeignLayout.pages.isOn)
    }
    let said = Self.sentences(result)
    #expect(said.count == 1)
    #expect(said.first?.contains("the memory layout behind 'pages' is not the expected one") == true)
  }

  private static func sentences(_ result: ExitTest.Result?) -> [Substring] {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self).split(separator: "\n")
      .filter { $0.hasPrefix("Tandem: ") }
  }
}

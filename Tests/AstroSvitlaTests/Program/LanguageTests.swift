import AstroSvitla
import Foundation
import Testing

/// What people read, in each language of the app.
@Suite struct LanguageTests {
  private let birth = [
    "--date", "1991-08-24", "--time", "07:45", "--latitude", "50.45", "--longitude", "30.52", "--time-zone",
    "Europe/Kyiv",
  ]

  private func run(_ folder: URL, _ arguments: [String], language: String = "uk_UA.UTF-8") throws -> ProgramRun {
    try ProgramRun(["astrosvitla"] + arguments, in: folder, environment: ["LANG": language])
  }

  private func hasLatinWord(_ text: String) -> Bool {
    text.split { !$0.isLetter }.contains { $0.count > 1 && $0.allSatisfy(\.isASCII) }
  }

  @Test func `signs, planets and aspects are shown in Ukrainian, and stored as ever`() throws {
    try withDevices("phone") { folder in
      #expect(try run(folder, ["chart", "add", "Олена", "--device", "phone"] + birth).code == 0)
      let show = try run(folder, ["chart", "show", "олена", "--device", "phone"])
      #expect(show.code == 0 && show.output.contains("Сонце"), "\(show)")
      #expect(ZodiacSign.allCases.contains { show.output.contains($0.name(in: .ukrainian)) })
      #expect(AspectKind.allCases.contains { show.output.contains($0.name(in: .ukrainian)) })
      #expect(!hasLatinWord(show.output), "\(show.output)")
      let english = try run(folder, ["chart", "show", "олена", "--device", "phone"], language: "C")
      #expect(
        english.output.contains("Sun")
          && AspectKind.allCases.contains { english.output.contains($0.name(in: .english)) })
      let json = try run(folder, ["chart", "show", "олена", "--device", "phone", "--json"])
      #expect(json.output.contains(#""planet" : "Sun""#), "\(json.output)")
    }
  }

  @Test func `every planet, sign, aspect and motion has a name of its own in each language`() {
    for language in AppLanguage.allCases {
      let names =
        Planet.allCases.map { $0.name(in: language) } + ZodiacSign.allCases.map { $0.name(in: language) }
        + AspectKind.allCases.map { $0.name(in: language) }
        + [Aspect.Motion.applying, .separating, .exact].map { $0.name(in: language) }
      #expect(Set(names).count == 30)
      #expect(names.allSatisfy { hasLatinWord($0) == (language == .english) })
    }
  }

  @Test(arguments: [
    ["chart", "show", "Тарас", "--device", "phone"],
    ["report", "generate", "Тарас", "--area", "career", "--device", "phone"],
    ["report", "show", "abcd", "--device", "phone"], ["approve"], ["decline"],
    ["report", "list", "--profile", "Тарас", "--device", "phone"], ["credits", "--device", "pohne"],
    ["history", "--from", "soon", "--device", "phone"],
    ["report", "generate", "Тарас", "--area", "weather", "--device", "phone"],
  ])
  func `an error is said in Ukrainian`(arguments: [String]) throws {
    try withDevices("phone") { folder in
      for language in [["--language", "uk"], []]
      where language.isEmpty || !["approve", "decline"].contains(arguments[0]) {
        let ukrainian = try run(folder, arguments + language)
        #expect(ukrainian.code == 1 || ukrainian.code == 2)
        #expect(ukrainian.trouble.contains { ("а"..."я").contains($0) }, "\(ukrainian.trouble)")
        let english = try run(folder, arguments, language: "C")
        #expect(english.code == ukrainian.code)
        #expect(!english.trouble.contains { ("а"..."я").contains($0) && !arguments.joined().contains($0) })
      }
    }
  }

  @Test func `charts are listed in the order of the Ukrainian alphabet`() throws {
    // By code points ґ, є, і and ї come after я, and small letters after capital ones.
    let names = ["Ада", "Гриць", "Ґеля", "Ерна", "єва", "Зоя", "Ігор", "Їжак", "Йосип", "Яна"]
    try withDevices("phone") { folder in
      for name in names.reversed() {
        #expect(try run(folder, ["chart", "add", name, "--device", "phone"] + birth).code == 0)
      }
      let list = try run(folder, ["chart", "list", "--sort", "name", "--device", "phone"])
      let listed = list.output.split(separator: "\n").dropFirst().map { line in
        line.split(separator: " ", omittingEmptySubsequences: true)[1]
      }
      #expect(listed.map(String.init) == names)
    }
  }

  @Test(arguments: ["USA", "UKR", "FRA", "GBR", "CAN", "AUS"])
  func `packs are sold wherever the single credit is, a fifth and three tenths cheaper`(country: String) throws {
    struct Row: Decodable {
      var credits: Int?
      var price: String
    }
    try withDevices("phone") { folder in
      let answer = try run(folder, ["products", "--storefront", country, "--json"])
      let all = try JSONDecoder().decode([Row].self, from: Data(answer.output.utf8))
      let rows = all.filter { $0.credits != nil }
      // The plan is sold there, too.
      #expect(rows.count + 1 == all.count)
      #expect(rows.map(\.credits) == [1, 5, 10])
      let prices = rows.compactMap { Double($0.price) }
      for (row, percent) in zip([1, 2], [20.0, 30.0]) where prices.count == 3 {
        let discount = 100 * (1 - prices[row] / (prices[0] * Double(rows[row].credits ?? 0)))
        #expect(discount.rounded() == percent, "\(prices)")
      }
      #expect(prices.count == 3)
    }
  }
}

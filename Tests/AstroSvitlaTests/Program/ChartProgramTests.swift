import AstroSvitla
import Foundation
import Testing

/// `astrosvitla chart`: what is calculated, refused, noted and drawn.
@Suite struct ChartProgramTests {
  private func add(
    _ name: String, _ options: String, in folder: URL, language: String = "C.UTF-8"
  ) throws -> ProgramRun {
    let words = options.split(separator: " ").map(String.init)
    return try ProgramRun(
      ["astrosvitla", "chart", "add", name, "--device", "phone"] + words, in: folder, environment: ["LANG": language])
  }

  private func show(_ folder: URL, _ arguments: String...) throws -> ProgramRun {
    try ProgramRun(["astrosvitla", "chart", "show"] + arguments + ["--device", "phone"], in: folder)
  }

  @Test func `a birth in a city of the table is calculated and shown with planets, houses and aspects`() throws {
    try withDevices("phone") { folder in
      #expect(try add("Olena", "--date 1991-08-24 --time 07:45 --place Київ", in: folder).code == 0)
      let shown = try show(folder, "olena").output
      #expect(shown.hasPrefix("Olena · August 24, 1991 07:45 · Kyiv\n"), "\(shown)")
      #expect(shown.contains("Moon     Aquarius   17°11′  5      +12.146°  +2.49°\n"))
      #expect(shown.contains("Mercury  Leo        26°20′  12     -0.785°   -4.00°    retrograde\n"))
      #expect(shown.contains("houses by Placidus\n") && shown.contains("10     Gemini       15°01′  midheaven\n"))
      #expect(shown.contains("Moon square Pluto            0.56°      applying\n"))
      let json = try show(folder, "olena", "--json").output
      #expect(json.contains(#""houseSystem" : "placidus""#) && json.contains(#""midheaven" : 75.0"#), "\(json)")
    }
  }

  @Test func `beyond the polar circle Placidus is refused with 1, and equal houses are taken`() throws {
    try withDevices("phone") { folder in
      let birth = "--date 1999-06-21 --time 00:30 --latitude 78.2 --longitude 15.6 --time-zone Europe/Berlin"
      let refused = try add("Bjørn", birth, in: folder)
      #expect(refused.code == 1 && refused.output.isEmpty && refused.trouble.contains("choose equal houses"))
      let ukrainian = try add("Bjørn", birth, in: folder, language: "uk_UA.UTF-8")
      #expect(ukrainian.code == 1 && ukrainian.trouble.contains("рівні доми"))
      #expect(try add("Bjørn", birth + " --houses equal", in: folder).code == 0)
      let shown = try show(folder, "bjørn").output
      #expect(shown.contains("equal houses\n") && shown.contains("′  midheaven\n"), "\(shown)")
    }
  }

  @Test func `positions of another sky are refused and store nothing; those of the birth are taken`() throws {
    try withDevices("phone") { folder in
      let file = packageRoot.appending(path: "SyncFixtures/charts/olena.json").path
      let wrong = try add("Olena", "--date 1991-08-25 --time 07:45 --place Kyiv --positions \(file)", in: folder)
      #expect(wrong.code == 2 && wrong.trouble.contains("are not the sky of this birth"), "\(wrong)")
      let list = try ProgramRun(["astrosvitla", "chart", "list", "--device", "phone"], in: folder)
      #expect(!list.output.contains("Olena"))
      #expect(
        try add("Olena", "--date 1991-08-24 --time 07:45 --place Kyiv --positions \(file)", in: folder).code == 0)
      let again = ["astrosvitla", "chart", "recalculate", "olena", "--houses", "equal", "--device", "phone"]
      #expect(try ProgramRun(again, in: folder).output == "calculated anew: Olena\n")
      #expect(try show(folder, "olena").output.contains("equal houses\n"))
    }
  }

  @Test func `an hour that clocks skipped or repeated, and a shared history, are noted`() throws {
    try withDevices("phone") { folder in
      let skipped = try add("A", "--date 2020-03-29 --time 03:30 --place Kyiv", in: folder)
      #expect(skipped.code == 0 && skipped.trouble.contains("set forward past 03:30"), "\(skipped)")
      let twice = try add("B", "--date 2020-10-25 --time 03:30 --place Kyiv", in: folder)
      #expect(twice.code == 0 && twice.trouble.contains("2020-10-25 01:30:00 with --time-zone UTC"), "\(twice)")
      let second = try add("C", "--date 2020-10-25 --time 01:30 --place Kyiv --time-zone UTC", in: folder)
      #expect(second.code == 0 && second.trouble.isEmpty)
      let shared = try add("D", "--date 1920-05-05 --time 05:05 --place Amsterdam", in: folder)
      #expect(shared.code == 0 && shared.trouble.contains("Europe/Amsterdam"))
    }
  }

  @Test func `a place needs a name of the table, or all of its degrees and zone`() throws {
    try withDevices("phone") { folder in
      #expect(try add("A", "--date 2020-03-29 --time 03:30", in: folder).code == 2)
      #expect(try add("A", "--date 2020-03-29 --time 03:30 --latitude 1 --longitude 2", in: folder).code == 2)
      #expect(try add("A", "--date 2020-03-29 --time 03:30 --place Kyiv --latitude 1", in: folder).code == 2)
      #expect(try add("A", "--date 2020-03-29 --time 03:30 --place Nowhere", in: folder).code == 1)
      let places = try ProgramRun(
        ["astrosvitla", "chart", "places", "--search", "buenos", "--language", "uk"], in: folder)
      #expect(places.output.contains("Буенос-Айрес  -34,6"), "\(places)")
    }
  }

  /// The folder that one is in took its place: credits were bought there.
  @Test(arguments: ["buy pack5 --device", "credits --device", "appstore books --app-store"])
  func `an empty path is named as such`(command: String) throws {
    try withDevices("phone") { folder in
      let words = ["astrosvitla"] + command.split(separator: " ").map(String.init)
      let run = try ProgramRun(words + [""], in: folder)
      #expect(run.code == 2 && run.trouble.contains("a path has at least one character"), "\(run)")
      #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "group.com.astrosvitla").path))
    }
  }

  @Test func `the wheel is drawn into a file, also where the device is only read`() throws {
    try withDevices("phone") { folder in
      #expect(try add("Olena", "--date 1991-08-24 --time 07:45 --place Kyiv", in: folder).code == 0)
      #expect(try show(folder, "olena", "--svg", "wheel.svg", "--theme", "dark").code == 0)
      let wheel = try String(contentsOf: folder.appending(path: "wheel.svg"), encoding: .utf8)
      #expect(wheel.contains(">Olena</text>") && wheel.contains("<title>Sun: 0°32′ Virgo</title>"))
      // A file took the place of the link.
      let link = folder.appending(path: "link.svg").path
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "wheel.svg")
      #expect(try show(folder, "olena", "--svg", "link.svg").code == 0)
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "wheel.svg")
      let nowhere = try show(folder, "olena", "--svg", "no/such/folder/wheel.svg")
      #expect(nowhere.code == 1 && nowhere.trouble.contains("check the folder"))
      #expect(nowhere.trouble.hasSuffix("(No such file or directory)\n"), "\(nowhere.trouble)")
      let empty = try show(folder, "olena", "--svg", "")
      #expect(empty.code == 2 && empty.trouble.contains("a path has at least one character"), "\(empty.trouble)")
      #expect(try show(folder, "olena", "--svg", "wheel.svg", "--theme", "pink").code == 2)
    }
  }
}

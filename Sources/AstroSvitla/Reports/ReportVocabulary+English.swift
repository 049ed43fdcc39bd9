extension ReportVocabulary {
  static let english = ReportVocabulary(
    inSign: [
      .aries: "in Aries", .taurus: "in Taurus", .gemini: "in Gemini", .cancer: "in Cancer", .leo: "in Leo",
      .virgo: "in Virgo", .libra: "in Libra", .scorpio: "in Scorpio", .sagittarius: "in Sagittarius",
      .capricorn: "in Capricorn", .aquarius: "in Aquarius", .pisces: "in Pisces",
    ],
    signManner: [
      .aries: "acts at once and learns by trying", .taurus: "takes its time and keeps what it has built",
      .gemini: "asks, compares and keeps two doors open", .cancer: "feels first and guards what is near",
      .leo: "wants to be seen and gives warmth for it", .virgo: "sorts, mends and notices what others miss",
      .libra: "weighs both sides before it moves", .scorpio: "goes to the ground of a thing or stays away",
      .sagittarius: "looks for the wide view and the reason why", .capricorn: "plans in years and carries weight",
      .aquarius: "thinks for itself and for the many", .pisces: "takes in moods and lets borders melt",
    ],
    planetName: [
      .sun: "The Sun", .moon: "The Moon", .mercury: "Mercury", .venus: "Venus", .mars: "Mars", .jupiter: "Jupiter",
      .saturn: "Saturn", .uranus: "Uranus", .neptune: "Neptune", .pluto: "Pluto",
    ],
    planetTheme: [
      .sun: "The will and the sense of self", .moon: "The need for safety and the daily rhythm",
      .mercury: "Thinking and speaking", .venus: "Affection and taste", .mars: "Drive and the way to fight",
      .jupiter: "Trust and growth", .saturn: "Duty and patience", .uranus: "The wish to break out",
      .neptune: "Dreams and devotion", .pluto: "Power and change from the ground up",
    ],
    houseTheme: [
      "appearance and beginnings", "money and what is one’s own", "learning, neighbours and short ways",
      "home and family", "play, love and children", "work, habits and the body", "partners and open conflict",
      "shared means and crises", "travel, study and belief", "calling and good name", "friends and plans",
      "retreat and what is hidden",
    ],
    aspectName: [
      .conjunction: "conjunct", .opposition: "opposite", .trine: "trine", .square: "square", .sextile: "sextile",
    ],
    aspectMeaning: [
      .conjunction: "the two act as one and are hard to tell apart",
      .opposition: "the two pull at both ends and ask for a middle",
      .trine: "the two help each other without being asked",
      .square: "the two rub against each other and so make work that gets done",
      .sextile: "the two open a door that one still has to walk through",
    ],
    elementLead: [
      .fire: "Fire leads in this chart: warmth, haste and courage come before caution.",
      .earth: "Earth leads in this chart: what can be touched and counted comes first.",
      .air: "Air leads in this chart: ideas and words come before feelings.",
      .water: "Water leads in this chart: feelings know the answer before words do.",
    ],
    modalityLead: [
      .cardinal: "Cardinal signs outweigh the others, so beginnings are easy and finishing is the task.",
      .fixed: "Fixed signs outweigh the others, so staying is easy and turning round is the task.",
      .mutable: "Mutable signs outweigh the others, so adapting is easy and choosing is the task.",
    ],
    motion: [
      .applying: "It is still drawing closer, so its theme grows with the years.",
      .separating: "It has passed its peak, so its theme is known from early on.",
      .exact: "It is exact, so its theme is never far away.",
    ],
    house: { "house \($0)" },
    opening: [
      .personality:
        "This report looks at who you are: the self, the mood, the mind, and the face that others see first.",
      .career: "This report looks at work: what drives it, where it grows, and what it demands.",
      .relationship: "This report looks at closeness: whom you are drawn to, how you love, and how you quarrel.",
      .wellness:
        "This report looks at strength and rest: what the body asks for, what wears it out, and what mends it.",
    ],
    closing: [
      .personality: "None of this is a verdict. Take what you recognise, and watch for a month what the rest does.",
      .career: "A chart names no employer. It names the conditions under which your work comes easily; look for those.",
      .relationship:
        "No chart loves for you. It shows the habits that you bring along, and habits can be talked about.",
      .wellness: "This is no medical advice. It may help you to notice earlier when it is time to stop, or to move.",
    ],
    retrograde: "It was retrograde at birth, so it works inwards first and shows late.",
    noAspects: "The planets of this area stand free of aspects: they act on their own, undisturbed and unaided.",
    ascendant: "The Ascendant",
    deviation: { "\($0)° from exact" })
}

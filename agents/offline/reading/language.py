"""Which language a request is written in, by its function words.

A detection library would add megabytes and, for texts of one line, would guess no better.
"""

from __future__ import annotations

from agents.offline.reading.text import vocabulary, words

_FUNCTION_WORDS: dict[str, frozenset[str]] = {
    "en": vocabulary(
        "the and of to in is that it for with we our be by on are must this have has should shall"
        " from at or not an as will which their you your can need needs want i was they them but if"
        " there my me please what how hello hi"
    ),
    "de": vocabulary(
        "der die das und ist nicht mit von zu den dem ein eine einen einer eines wir für auf werden"
        " wird soll sollen muss müssen im am bei als auch an sind haben hat pro oder nach unsere"
        " unser unseren unserer es dass sich aus bis zum zur über kein keine ich sie uns"
    ),
    "fr": vocabulary(
        "le la les des du et est une un nous pour dans avec par sur que qui doit doivent pas au aux"
        " ce cette nos notre être sont plus ou de en il elle ont avons leur leurs chaque sans vous"
        " se d l"
    ),
    "es": vocabulary(
        "el la los las de del y es un una nuestro nuestra nuestros para con por que se debe deben "
        "en"
        " al no lo su sus son más o cada tenemos está están como hay sin queremos necesitamos"
        " ser"
    ),
    "it": vocabulary(
        "il lo la i gli le di del della e è un una per con che si deve devono in al non nostro"
        " nostra sono più ogni abbiamo dei delle nel nella"
    ),
    "nl": vocabulary(
        "de het een en van is niet met voor op wij onze moet moeten zijn wordt worden per aan bij"
        " die dat naar ook als door uit geen er"
    ),
    "pt": vocabulary(
        "o a os as de do da e é um uma para com por que se deve devem em ao não nosso nossa são"
        " mais cada temos dos das no na"
    ),
}

LANGUAGES: dict[str, str] = {
    "en": "English",
    "de": "German",
    "fr": "French",
    "es": "Spanish",
    "it": "Italian",
    "nl": "Dutch",
    "pt": "Portuguese",
}


def detect(text: str) -> str:
    """ISO 639-1 code of the language, ``en`` where the words do not say."""
    found = [word for word, _, _ in words(text[:20_000])]
    counts = {
        code: sum(w in vocabulary for w in found) for code, vocabulary in _FUNCTION_WORDS.items()
    }
    best = max(counts, key=lambda code: (counts[code], code == "en"))
    if counts[best] < 2 or counts[best] <= counts["en"]:
        return "en"
    return best
